import { expect } from 'vitest'
import { advancePhase, cancelRun, endHold, pauseRun, resumeRun } from '../../src/controls/runs.ts'
import { confirmCue, retryStep, skipStep } from '../../src/controls/steps.ts'
import { letPass } from '../../src/testing/play.ts'
import { MIRA, type Stage } from '../support/stage.ts'
import {
  after,
  allowed,
  CRASH_MS,
  HOLD_MS,
  inFlight,
  type Model,
  type ModelEvent,
  type ModelGate,
  RETRY_MS,
} from './model.ts'

/** Numbers from 0 to 1 that follow from a seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const ANSWERS = {
  done: { ok: true },
  hold: { ok: true, holdFor: HOLD_MS / 1000 },
  park: { ok: true, await: 'human' },
  transient: { ok: false, error: 'busy' },
  terminal: { ok: false, retry: false, error: 'no' },
}

/** Plays one random history of a run against the model; both have to agree after every event. */
export async function playHistory(stage: Stage, seed: number, events: number): Promise<void> {
  const random = randomFrom(seed)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const phases = 1 + Math.floor(random() * 3)
  const shape = Array.from({ length: phases }, () => Math.floor(random() * 4))
  const calls: ((answer: unknown) => void)[] = []
  const key = `h${seed}`
  stage.script.on(key, () => new Promise((resolve) => calls.push(resolve)))
  const steps = shape.flatMap((count, phase) =>
    Array.from({ length: count }, () => ({ phase, onFailure: pick(['SKIP', 'PAUSE', 'ABORT_RUN'] as const) })),
  )
  const gates = shape.map(() =>
    random() < 0.5 ? null : { needed: 1 + Math.floor(random() * 2), tally: 0, open: false },
  )
  const { definitionId } = await stage.publish(
    shape.map((_, phase) => ({
      key: `p${phase}`,
      ...gateOf(gates[phase]),
      steps: steps
        .filter((step) => step.phase === phase)
        .map(({ onFailure }) => ({ actionId: 'test.slow', key, onFailure })),
    })),
  )
  const runId = await stage.start(definitionId)
  await quiet(stage)
  const fresh = { status: 'PENDING', parked: false, attempts: 0, due: 0, held: false, worked: false } as const
  const begun: Model = {
    now: stage.clock.now(),
    phases,
    status: 'RUNNING',
    phase: 0,
    hold: 0,
    degraded: false,
    steps: steps.map((step) => ({ ...step, ...fresh })),
    gates,
  }
  let model = after(begun, { kind: 'time', ms: 0 })
  const history: ModelEvent[] = []
  const agree = async () => {
    const because = `seed ${seed}: ${JSON.stringify(shape)} ${JSON.stringify(steps.map((step) => step.onFailure))} ${JSON.stringify(gates)} ${JSON.stringify(history)}`
    expect(await seen(stage, runId), because).toEqual(expected(model))
  }
  await agree()
  for (let turn = 0; turn < events; turn += 1) {
    const event = draw(model, { random, pick })
    history.push(event)
    const may = allowed(model, event)
    if (may) model = after(model, event)
    const refused = await happen(stage, { runId, event, calls, stepOf: (index) => stepId(stage, runId, steps, index) })
    if ('step' in event || ['pause', 'resume', 'cancel', 'endHold', 'advance'].includes(event.kind)) {
      expect(refused, `seed ${seed}: ${JSON.stringify(history)}`).toBe(!may)
    }
    await quiet(stage)
    await agree()
  }
  // What still hangs ends, so that the next history finds the stage empty.
  await cancelRun(stage.ctx, MIRA, { runId })
  for (const answer of calls) await answered(stage, runId, () => answer({ ok: true }))
}

const LEVEL = 5

/** A gate as an event has it: only a boss of that level counts. */
function gateOf(gate: ModelGate | null | undefined) {
  const where = { field: 'level', op: 'GTE', value: LEVEL }
  return gate ? { advance: { trigger: { on: 'test.slain', count: gate.needed, where } } } : {}
}

/** What hangs counts as quiet: histories answer when they want to. */
async function quiet(stage: Stage): Promise<void> {
  await stage.runner.idle()
}

function draw(
  model: Model,
  { random, pick }: { random: () => number; pick: <T>(from: readonly T[]) => T },
): ModelEvent {
  if (inFlight(model) && random() < 0.6) {
    return random() < 0.15
      ? { kind: 'crash' }
      : { kind: 'answer', answer: pick(['done', 'done', 'hold', 'park', 'transient', 'terminal'] as const) }
  }
  const step = Math.floor(random() * Math.max(model.steps.length, 1))
  return pick<ModelEvent>([
    { kind: 'pause' },
    { kind: 'resume' },
    { kind: 'resume' },
    { kind: 'endHold' },
    { kind: 'advance' },
    { kind: 'emit', matches: true },
    { kind: 'emit', matches: true },
    { kind: 'emit', matches: false },
    { kind: 'confirm', step },
    { kind: 'confirm', step },
    { kind: 'skip', step },
    { kind: 'retry', step },
    { kind: 'retry', step },
    // Budgets are not the model's: no time passes while an action is being called.
    ...(inFlight(model) ? [] : ([RETRY_MS, HOLD_MS, HOLD_MS].map((ms) => ({ kind: 'time', ms })) as ModelEvent[])),
    ...(random() < 0.2 ? ([{ kind: 'cancel' }] as const) : []),
  ])
}

type Happening = {
  runId: string
  event: ModelEvent
  calls: ((answer: unknown) => void)[]
  stepOf: (index: number) => Promise<string>
}

/** Lets the event happen for real; answers whether it was refused. */
async function happen(stage: Stage, { runId, event, calls, stepOf }: Happening): Promise<boolean> {
  const { ctx } = stage
  switch (event.kind) {
    case 'answer':
      await answered(stage, runId, () => calls.pop()?.(ANSWERS[event.answer]))
      return false
    case 'crash': {
      // The holder is gone and its lease over; what it was called for answers later, to nobody.
      const orphans = calls.splice(0)
      await stage.db.prisma.run.update({
        where: { id: runId },
        data: { claimedBy: 'dead:1', leaseUntil: new Date(stage.clock.now()) },
      })
      stage.clock.moveBy(CRASH_MS)
      stage.runner.wake()
      await stage.runner.idle()
      for (const answer of orphans) await answered(stage, runId, () => answer(ANSWERS.terminal))
      return false
    }
    case 'time':
      await letPass(event.ms, { ...stage, hangs: () => true })
      return false
    case 'pause':
      return (await pauseRun(ctx, MIRA, { runId })).error !== undefined
    case 'resume':
      return (await resumeRun(ctx, MIRA, { runId })).error !== undefined
    case 'cancel':
      return (await cancelRun(ctx, MIRA, { runId })).error !== undefined
    case 'emit':
      await stage.emit({ payload: { level: event.matches ? LEVEL : LEVEL - 1 } })
      return false
    case 'advance': {
      const phase = (await stage.run(runId)).currentPhase ?? ''
      return (await advancePhase(ctx, MIRA, { runId, phase, reason: 'so' })).error !== undefined
    }
    case 'endHold':
      return (await endHold(ctx, MIRA, { runId })).error !== undefined
    case 'confirm':
      return (await confirmCue(ctx, MIRA, { stepId: await stepOf(event.step) })).error !== undefined
    case 'skip':
      return (await skipStep(ctx, MIRA, { stepId: await stepOf(event.step), reason: 'so' })).error !== undefined
    case 'retry':
      return (await retryStep(ctx, MIRA, { stepId: await stepOf(event.step), reason: 'so' })).error !== undefined
  }
}

/** An answer is written, or noted as late, when the log has grown. */
async function answered(stage: Stage, runId: string, answer: () => void): Promise<void> {
  const changed = stage.changed(runId)
  answer()
  await changed
}

const NOWHERE = '00000000-0000-7000-8000-000000000000'

async function stepId(stage: Stage, runId: string, steps: { phase: number }[], index: number): Promise<string> {
  const phase = steps[index]?.phase ?? 0
  const seq = index - steps.findIndex((step) => step.phase === phase)
  const step = await stage.db.prisma.step.findFirst({ where: { runId, phaseIndex: phase, seq } })
  return step?.id ?? NOWHERE
}

/** What the model says, in the form that the database is read in. */
function expected(model: Model) {
  const isOver = !['RUNNING', 'PAUSED'].includes(model.status)
  return {
    status: model.status,
    phase: model.phase,
    degraded: model.degraded,
    hold: isOver || model.hold <= model.now ? 0 : model.hold,
    inFlight: inFlight(model) !== undefined,
    gate: shown(model.gates[model.phase]),
    steps: model.steps
      .filter((step) => step.phase <= model.phase)
      .map(({ status, parked, attempts, held, due }) => {
        const waits = status === 'PENDING' && due > model.now
        return { status, parked, attempts, held: held && waits, due: waits ? due : 0 }
      }),
  }
}

const shown = (gate: { tally: number; open: boolean } | null | undefined) =>
  gate ? { tally: gate.tally, open: gate.open } : null

async function seen(stage: Stage, runId: string) {
  const run = await stage.run(runId)
  const gate = run.gates.find(({ phaseIndex }) => phaseIndex === run.phaseIndex)
  const now = stage.clock.now()
  const until = (at: Date | null) => (at === null || at.getTime() <= now ? 0 : at.getTime())
  return {
    status: run.status,
    phase: run.phaseIndex,
    degraded: run.health === 'DEGRADED',
    hold: until(run.holdUntil),
    inFlight: run.inFlight !== null,
    gate: shown(gate && { tally: gate.tally ?? 0, open: gate.openedAt !== null }),
    steps: run.steps.map(({ status, parked, attempts, held, dueAt }) => {
      const due = status === 'PENDING' ? until(dueAt) : 0
      return { status, parked, attempts, held: held && due > 0, due }
    }),
  }
}
