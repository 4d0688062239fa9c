import { abandonResource } from '../../src/controls/ledger.ts'
import { advancePhase, cancelRun, endHold, pauseRun, resumeRun, retryCleanup } from '../../src/controls/runs.ts'
import { setActionSetting } from '../../src/controls/settings.ts'
import { confirmCue, retryStep, skipStep } from '../../src/controls/steps.ts'
import { letPass } from '../../src/testing/play.ts'
import { MIRA, type Stage } from '../support/stage.ts'
import { LEASE_MS, MADE } from './effects.ts'
import { CRASH_MS, HOLD_MS, type ModelEvent } from './model.ts'

export const ACTION = 'test.make'
const THING = 'thing'
export const LEVEL = 5

/** What the world is asked and has not answered yet. */
export class World {
  readonly calls: ((answer: unknown) => void)[] = []
  readonly reverts: ((answer: unknown) => void)[] = []

  constructor(stage: Stage, key: string) {
    stage.script.on(key, () => new Promise((resolve) => this.calls.push(resolve)))
    for (const ref of [THING, '@step'])
      stage.script.onRevert(ref, () => new Promise((resolve) => this.reverts.push(resolve)))
  }
}

const SAID = {
  done: { ok: true },
  hold: { ok: true, holdFor: HOLD_MS / 1000 },
  park: { ok: true, await: 'human' },
  transient: { ok: false, error: 'busy' },
  terminal: { ok: false, retry: false, error: 'no' },
}

function made(now: number) {
  const lease = { leaseUntil: new Date(now + LEASE_MS) }
  const resources = Array.from({ length: MADE }, (_, index) => ({
    kind: 'thing',
    ref: THING,
    ...(index === 0 ? lease : {}),
  }))
  return { ok: true, resources }
}

export type Happening = {
  runId: string
  world: World
  /** The switch was on before the event. */
  wasOn: boolean
  stepOf: (index: number) => Promise<string>
  thingOf: (index: number) => Promise<string>
}

/** Lets the event happen for real; answers whether it was refused. */
export async function happen(stage: Stage, event: ModelEvent, happening: Happening): Promise<boolean> {
  const { ctx } = stage
  const { runId, world, stepOf, thingOf } = happening
  const reason = 'so'
  switch (event.kind) {
    case 'answer': {
      const answer = event.answer === 'made' ? made(stage.clock.now()) : SAID[event.answer]
      await answered(stage, runId, () => world.calls.pop()?.(answer))
      return false
    }
    case 'revert':
      await answered(stage, runId, () => world.reverts.pop()?.(SAID[event.answer]))
      return false
    case 'crash':
      await die(stage, runId, world.calls, { claimedBy: 'dead:1', leaseUntil: new Date(stage.clock.now()) })
      return false
    case 'revertCrash':
      await die(stage, runId, world.reverts, { ledgerOwner: 'dead:1', ledgerAt: new Date(stage.clock.now()) })
      return false
    case 'time':
      await letPass(event.ms, { ...stage, hangs: () => true })
      return false
    case 'emit':
      await stage.emit({ payload: { level: event.matches ? LEVEL : LEVEL - 1 } })
      return false
    case 'switch':
      return isRefused(setActionSetting(ctx, MIRA, { actionId: ACTION, enabled: !happening.wasOn }))
    case 'pause':
      return isRefused(pauseRun(ctx, MIRA, { runId }))
    case 'resume':
      return isRefused(resumeRun(ctx, MIRA, { runId }))
    case 'cancel':
      return isRefused(cancelRun(ctx, MIRA, { runId }))
    case 'endHold':
      return isRefused(endHold(ctx, MIRA, { runId }))
    case 'retryCleanup':
      return isRefused(retryCleanup(ctx, MIRA, { runId, reason }))
    case 'advance': {
      const phase = (await stage.run(runId)).currentPhase ?? ''
      return isRefused(advancePhase(ctx, MIRA, { runId, phase, reason }))
    }
    case 'abandon':
      return isRefused(abandonResource(ctx, MIRA, { resourceId: await thingOf(event.thing), reason }))
    case 'confirm':
      return isRefused(confirmCue(ctx, MIRA, { stepId: await stepOf(event.step) }))
    case 'skip':
      return isRefused(skipStep(ctx, MIRA, { stepId: await stepOf(event.step), reason }))
    case 'retry':
      return isRefused(retryStep(ctx, MIRA, { stepId: await stepOf(event.step), reason }))
  }
}

const isRefused = async (control: Promise<{ error?: unknown }>) => (await control).error !== undefined

/** The holder of a claim is gone and its lease over; what was asked for it answers later, to nobody. */
async function die(
  stage: Stage,
  runId: string,
  asked: ((answer: unknown) => void)[],
  claim: { claimedBy: string; leaseUntil: Date } | { ledgerOwner: string; ledgerAt: Date },
): Promise<void> {
  const orphans = asked.splice(0)
  await stage.db.prisma.run.update({ where: { id: runId }, data: claim })
  stage.clock.moveBy(CRASH_MS)
  stage.runner.wake()
  await stage.runner.idle()
  for (const answer of orphans) await answered(stage, runId, () => answer(SAID.terminal))
}

/** An answer is written, or noted as late, when the readers of the run are told. */
export async function answered(stage: Stage, runId: string, answer: () => void): Promise<void> {
  const changed = stage.changed(runId)
  answer()
  await changed
}
