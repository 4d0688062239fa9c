import {
  abandon,
  admit,
  beginCleanup,
  cleanUp,
  dueInstants,
  type Effects,
  MADE,
  named,
  retryCleanup,
  revertAnswered,
  revertCrashed,
  reverting,
} from './effects.ts'

/**
 * A run's behaviour in small: what the state is after an event, as the specification's tables say it, written apart from
 * the code that it is held against. Instants are milliseconds.
 */
export type ModelStep = {
  phase: number
  onFailure: 'SKIP' | 'PAUSE' | 'ABORT_RUN'
  status: 'PENDING' | 'RUNNING' | 'DONE' | 'FAILED' | 'REFUSED' | 'SKIPPED' | 'CANCELLED'
  parked: boolean
  attempts: number
  due: number
  held: boolean
  worked: boolean
  /** What it takes from the run's budget, once. */
  cost: number
  spent: boolean
}

export type Model = {
  now: number
  phases: number
  status: 'RUNNING' | 'PAUSED' | 'ENDING' | 'COMPLETED' | 'CANCELLED' | 'FAILED'
  phase: number
  hold: number
  degraded: boolean
  steps: ModelStep[]
  /** By phase; null: it has none. */
  gates: (ModelGate | null)[]
  effects: Effects
}

export type ModelGate = { needed: number; tally: number; open: boolean }

export type ModelEvent =
  | { kind: 'answer'; answer: 'done' | 'made' | 'hold' | 'park' | 'transient' | 'terminal' }
  | { kind: 'crash' }
  | { kind: 'pause' | 'resume' | 'cancel' | 'endHold' | 'advance' }
  | { kind: 'emit'; matches: boolean }
  | { kind: 'confirm' | 'skip' | 'retry'; step: number }
  | { kind: 'time'; ms: number }
  | { kind: 'revert'; answer: 'done' | 'transient' | 'terminal' }
  | { kind: 'revertCrash' | 'switch' | 'retryCleanup' }
  | { kind: 'abandon'; thing: number }

export const MAX_ATTEMPTS = 3
/** How long it takes until a crash is noticed. */
export const CRASH_MS = 1000
export const RETRY_MS = 60_000
export const HOLD_MS = 600_000

const ended = (model: Model) => !['RUNNING', 'PAUSED'].includes(model.status)
export const terminal = (model: Model) => ended(model) && model.status !== 'ENDING'
const open = (step: ModelStep) => step.status === 'PENDING' || step.status === 'RUNNING'
const inPhase = (model: Model) => model.steps.filter((step) => step.phase === model.phase)

/** The step whose action is being called; at most one. */
export const inFlight = (model: Model) => model.steps.find((step) => step.status === 'RUNNING' && !step.parked)

/** Whether the event may happen; a control that may not is refused and changes nothing. */
export function allowed(model: Model, event: ModelEvent): boolean {
  const step = 'step' in event ? model.steps[event.step] : undefined
  switch (event.kind) {
    case 'answer':
    case 'crash':
      return inFlight(model) !== undefined
    case 'revert':
    case 'revertCrash':
      return reverting(model) !== undefined
    case 'time':
    case 'emit':
    case 'switch':
      return true
    case 'retryCleanup':
      return terminal(model) && model.effects.cleanup === 'INCOMPLETE'
    case 'abandon':
      return model.effects.cleanup === 'INCOMPLETE' && model.effects.things[event.thing]?.status === 'FAILED'
    case 'advance':
      return !ended(model) && model.gates[model.phase]?.open === false
    case 'pause':
      return model.status === 'RUNNING'
    case 'resume':
      return model.status === 'PAUSED'
    case 'cancel':
      return !terminal(model)
    case 'endHold':
      return (
        !ended(model) &&
        (model.hold > model.now || inPhase(model).some((s) => s.status === 'PENDING' && s.held && s.due > model.now))
      )
    case 'confirm':
      return !ended(model) && step !== undefined && step.parked
    case 'skip':
      // A step of a phase that was not entered is not there yet.
      return (
        !ended(model) && step !== undefined && step.phase <= model.phase && (step.parked || step.status === 'PENDING')
      )
    case 'retry':
      return (
        model.status === 'PAUSED' &&
        step !== undefined &&
        (step.status === 'FAILED' || step.status === 'REFUSED') &&
        step.phase === model.phase &&
        !inPhase(model).some((later) => model.steps.indexOf(later) > event.step && later.worked)
      )
  }
}

/** The state after an event that is allowed. */
export function after(before: Model, event: ModelEvent): Model {
  const model = structuredClone(before)
  const flying = inFlight(model)
  const step = 'step' in event ? model.steps[event.step] : undefined
  if (event.kind === 'answer' && flying) answer(model, flying, event.answer)
  if (event.kind === 'crash' && flying) crash(model, flying)
  if (event.kind === 'pause') model.status = 'PAUSED'
  if (event.kind === 'resume') model.status = 'RUNNING'
  if (event.kind === 'cancel') end(model, 'CANCELLED')
  if (event.kind === 'endHold') {
    model.hold = 0
    for (const held of inPhase(model))
      if (held.status === 'PENDING' && held.held) Object.assign(held, { due: 0, held: false })
  }
  if (event.kind === 'confirm' && step) Object.assign(step, { status: 'DONE', parked: false })
  if (event.kind === 'skip' && step) {
    const { held, due } = step
    Object.assign(step, { status: 'SKIPPED', parked: false, held: false })
    if (held && due > model.now) hold(model, due)
  }
  if (event.kind === 'retry' && step) Object.assign(step, { status: 'PENDING', attempts: 0, due: 0, held: false })
  const gate = model.gates[model.phase]
  if (event.kind === 'advance' && gate) gate.open = true
  if (event.kind === 'emit' && event.matches && !ended(model) && gate?.open === false) {
    gate.tally += 1
    gate.open = gate.tally === gate.needed
  }
  if (event.kind === 'time') pass(model, model.now + event.ms)
  if (event.kind === 'revert') revertAnswered(model, event.answer)
  if (event.kind === 'revertCrash') revertCrashed(model)
  if (event.kind === 'switch') model.effects.off = !model.effects.off
  if (event.kind === 'retryCleanup') retryCleanup(model)
  if (event.kind === 'abandon') abandon(model, event.thing)
  goOn(model)
  cleanUp(model)
  return model
}

/** Time goes from one instant at which something may be due to the next. */
function pass(model: Model, end: number): void {
  for (;;) {
    const instants = [model.hold, ...model.steps.map(({ due }) => due), ...dueInstants(model)]
    const next = Math.min(...instants.filter((instant) => instant > model.now))
    if (next > end) break
    model.now = next
    goOn(model)
    cleanUp(model)
  }
  model.now = end
}

function answer(model: Model, step: ModelStep, kind: (ModelEvent & { kind: 'answer' })['answer']): void {
  const isOk = kind === 'done' || kind === 'made' || kind === 'hold'
  if (isOk || kind === 'park') named(model, step, kind === 'made' ? MADE : 0)
  if (isOk) {
    step.status = 'DONE'
    if (kind === 'hold' && !ended(model)) hold(model, model.now + HOLD_MS)
  } else if (kind === 'park') {
    if (ended(model)) step.status = 'CANCELLED'
    else step.parked = true
  } else if (kind === 'transient' && step.attempts < MAX_ATTEMPTS) {
    if (ended(model)) step.status = 'CANCELLED'
    else {
      Object.assign(step, { status: 'PENDING', due: model.now + RETRY_MS, held: false })
      model.degraded = true
    }
  } else fail(model, step)
}

function crash(model: Model, step: ModelStep): void {
  model.now += CRASH_MS
  if (step.attempts >= MAX_ATTEMPTS) fail(model, step)
  else step.status = ended(model) ? 'CANCELLED' : 'PENDING'
}

function fail(model: Model, step: ModelStep, status: 'FAILED' | 'REFUSED' = 'FAILED'): void {
  step.status = status
  model.degraded = true
  if (ended(model)) return
  if (step.onFailure === 'ABORT_RUN') end(model, 'FAILED')
  else if (step.onFailure === 'PAUSE') model.status = 'PAUSED'
}

function hold(model: Model, until: number): void {
  const next = inPhase(model).find((step) => step.status === 'PENDING')
  if (next) Object.assign(next, { due: until, held: true })
  else model.hold = until
}

function end(model: Model, status: 'CANCELLED' | 'FAILED'): void {
  if (model.status !== 'ENDING') beginCleanup(model)
  model.status = status
  model.hold = 0
  for (const step of model.steps) {
    if (step.phase <= model.phase && (step.status === 'PENDING' || step.parked)) {
      Object.assign(step, { status: 'CANCELLED', parked: false })
    }
  }
}

function goOn(model: Model): void {
  while (model.status === 'RUNNING') {
    const next = inPhase(model).find(open)
    if (next) {
      if (next.status === 'PENDING' && next.due <= model.now) {
        Object.assign(next, { status: 'RUNNING', attempts: next.attempts + 1, held: false, due: 0, worked: true })
        if (!admit(model, next)) {
          fail(model, next, 'REFUSED')
          continue
        }
      }
      return
    }
    if (model.gates[model.phase]?.open === false) return
    if (model.phase + 1 < model.phases) {
      model.phase += 1
      const first = inPhase(model)[0]
      if (model.hold > model.now && first) {
        Object.assign(first, { due: model.hold, held: true })
        model.hold = 0
      } else if (model.hold <= model.now) model.hold = 0
    } else if (model.hold > model.now) return
    else {
      beginCleanup(model)
      model.status = model.effects.cleanup === 'PENDING' ? 'ENDING' : 'COMPLETED'
    }
  }
}
