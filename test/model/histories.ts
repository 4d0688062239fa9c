import { expect } from 'vitest'
import { cancelRun } from '../../src/controls/runs.ts'
import { setActionSetting } from '../../src/controls/settings.ts'
import { letPass } from '../../src/testing/play.ts'
import { MIRA, type Stage } from '../support/stage.ts'
import { expected, seen } from './compare.ts'
import { reverting } from './effects.ts'
import { ACTION, answered, happen, LEVEL, World } from './happening.ts'
import { brokenInvariants } from './invariants.ts'
import { after, allowed, HOLD_MS, inFlight, type Model, type ModelEvent, type ModelGate, RETRY_MS } from './model.ts'

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

type Draw = { random: () => number; pick: <T>(from: readonly T[]) => T }

type Play = {
  /** How many. */
  events: number
  /** Told of every invariant that does not hold after an event, and what led there. */
  noteBroken(name: string, history: string): void
}

/** Plays one random history of a run against the model; both have to agree after every event. */
export async function playHistory(stage: Stage, seed: number, { events, noteBroken }: Play): Promise<void> {
  const random = randomFrom(seed)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const key = `h${seed}`
  const world = new World(stage, key)
  const begun = newModel({ random, pick }, stage.clock.now())
  const { cap } = begun.effects
  await setActionSetting(stage.ctx, MIRA, { actionId: ACTION, enabled: true, caps: [{ dimension: 'things', cap }] })
  const { definitionId } = await stage.publish(
    begun.gates.map((gate, phase) => ({
      key: `p${phase}`,
      ...gateOf(gate),
      steps: begun.steps
        .filter((step) => step.phase === phase)
        .map(({ onFailure, cost }) => ({ actionId: ACTION, params: { key, count: cost }, onFailure })),
    })),
  )
  const runId = await stage.start(definitionId)
  await stage.runner.idle()
  let model = after(begun, { kind: 'time', ms: 0 })
  const history: ModelEvent[] = []
  const agree = async () => {
    const { steps, gates, effects } = begun
    const because = `seed ${seed}: ${JSON.stringify({ steps, gates, cap: effects.cap, history })}`
    expect(await seen(stage, runId), because).toEqual(expected(model))
    for (const name of await brokenInvariants(stage, runId)) noteBroken(name, because)
  }
  await agree()
  for (let turn = 0; turn < events; turn += 1) {
    const event = draw(model, { random, pick })
    history.push(event)
    const may = allowed(model, event)
    const wasOn = !model.effects.off
    if (may) model = after(model, event)
    const refused = await happen(stage, event, {
      runId,
      world,
      wasOn,
      stepOf: (index) => stepId(stage, runId, begun, index),
      thingOf: (index) => thingId(stage, runId, index),
    })
    expect(refused, `seed ${seed}: ${JSON.stringify(history)}`).toBe(!may)
    await stage.runner.idle()
    await agree()
  }
  await finish(stage, runId, world)
}

function newModel({ random, pick }: Draw, now: number): Model {
  const shape = Array.from({ length: 1 + Math.floor(random() * 3) }, () => Math.floor(random() * 4))
  const fresh = { status: 'PENDING', parked: false, attempts: 0, due: 0, held: false, worked: false } as const
  const steps = shape.flatMap((count, phase) =>
    Array.from({ length: count }, () => ({
      ...fresh,
      phase,
      onFailure: pick(['SKIP', 'PAUSE', 'ABORT_RUN'] as const),
      cost: Math.floor(random() * 4),
      spent: false,
    })),
  )
  const gates = shape.map(() =>
    random() < 0.5 ? null : { needed: 1 + Math.floor(random() * 2), tally: 0, open: false },
  )
  const cap = pick([null, 2, 5, 100])
  const effects = { cap, consumed: 0, off: false, things: [], cleanup: 'NOT_REQUIRED' } as const
  const begun = { now, phases: shape.length, status: 'RUNNING', phase: 0, hold: 0, degraded: false } as const
  return { ...begun, steps, gates, effects: { ...effects, things: [] } }
}

/** A gate as an event has it: only a boss of that level counts. */
function gateOf(gate: ModelGate | null) {
  const where = { field: 'level', op: 'GTE', value: LEVEL }
  return gate ? { advance: { trigger: { on: 'test.slain', count: gate.needed, where } } } : {}
}

function draw(model: Model, { random, pick }: Draw): ModelEvent {
  if (inFlight(model) && random() < 0.6) {
    if (random() < 0.15) return { kind: 'crash' }
    const answer = pick(['done', 'done', 'made', 'made', 'hold', 'park', 'transient', 'terminal'] as const)
    return { kind: 'answer', answer }
  }
  if (reverting(model) && random() < 0.6) {
    return random() < 0.15
      ? { kind: 'revertCrash' }
      : { kind: 'revert', answer: pick(['done', 'done', 'transient', 'terminal'] as const) }
  }
  const step = Math.floor(random() * Math.max(model.steps.length, 1))
  const thing = Math.floor(random() * Math.max(model.effects.things.length, 1))
  // Budgets of calls are not the model's: no time passes while one is made.
  const mayPass = !inFlight(model) && !reverting(model)
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
    { kind: 'switch' },
    { kind: 'retryCleanup' },
    { kind: 'abandon', thing },
    ...(mayPass ? ([RETRY_MS, HOLD_MS, HOLD_MS].map((ms) => ({ kind: 'time', ms })) as ModelEvent[]) : []),
    ...(random() < 0.2 ? ([{ kind: 'cancel' }] as const) : []),
  ])
}

/** What still hangs ends, so that the next history finds the stage empty. */
async function finish(stage: Stage, runId: string, world: World): Promise<void> {
  await cancelRun(stage.ctx, MIRA, { runId })
  for (;;) {
    await stage.runner.idle()
    const [answer] = [...world.calls.splice(0, 1), ...world.reverts.splice(0, 1)]
    if (answer === undefined && (await stage.run(runId)).cleanupStatus !== 'PENDING') return
    if (answer === undefined) await letPass(RETRY_MS, { ...stage, hangs: () => true })
    else await answered(stage, runId, () => answer({ ok: true }))
  }
}

const NOWHERE = '00000000-0000-7000-8000-000000000000'

async function stepId(stage: Stage, runId: string, { steps }: Model, index: number): Promise<string> {
  const phase = steps[index]?.phase ?? 0
  const seq = index - steps.findIndex((step) => step.phase === phase)
  const step = await stage.db.prisma.step.findFirst({ where: { runId, phaseIndex: phase, seq } })
  return step?.id ?? NOWHERE
}

async function thingId(stage: Stage, runId: string, index: number): Promise<string> {
  const things = await stage.db.prisma.resource.findMany({ where: { runId }, orderBy: { id: 'asc' } })
  return things[index]?.id ?? NOWHERE
}
