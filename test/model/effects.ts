import { CRASH_MS, inFlight, MAX_ATTEMPTS, type Model, type ModelStep, RETRY_MS } from './model.ts'

/** What a run did to the world, in small: its meter, its ledger and its cleanup, as sections 9 and 10 say them. */
export type Effects = {
  cap: number | null
  consumed: number
  /** An admin switched the action off. */
  off: boolean
  /** In the order of making; the newest is last. */
  things: Thing[]
  cleanup: 'NOT_REQUIRED' | 'PENDING' | 'CLEAN' | 'INCOMPLETE'
}

export type Thing = {
  step: number
  /** It stands for whatever the step may have made without saying so. */
  placeholder: boolean
  status: 'ACTIVE' | 'REVERTING' | 'REVERTED' | 'FAILED' | 'ABANDONED'
  attempts: number
  due: number
  /** Taken back then, run or no run. */
  lease: number
}

/** How many things an answer that names some names; the first has a lease. */
export const MADE = 2
export const LEASE_MS = 400_000

const MADE_NOW = { status: 'ACTIVE', attempts: 0, due: 0, lease: Number.POSITIVE_INFINITY } as const

const isUnresolved = ({ status }: Thing) => status === 'ACTIVE' || status === 'REVERTING' || status === 'FAILED'

export const reverting = ({ effects }: Model) => effects.things.find(({ status }) => status === 'REVERTING')

/** Whether a claimed step may be called; if so it has paid, once in its life, and its placeholder stands. */
export function admit(model: Model, step: ModelStep): boolean {
  const { effects } = model
  if (effects.off) return false
  if (!step.spent) {
    if (effects.cap !== null && effects.consumed + step.cost > effects.cap) return false
    effects.consumed += step.cost
    step.spent = true
  }
  const index = model.steps.indexOf(step)
  if (!effects.things.some((thing) => thing.step === index && thing.placeholder))
    effects.things.push({ ...MADE_NOW, step: index, placeholder: true })
  return true
}

/** An ok answer says what the step made: that takes the placeholder's place. */
export function named(model: Model, step: ModelStep, count: number): void {
  const index = model.steps.indexOf(step)
  const { effects } = model
  effects.things = effects.things.filter((thing) => thing.step !== index || !thing.placeholder)
  for (let made = 0; made < count; made += 1)
    effects.things.push({
      ...MADE_NOW,
      step: index,
      placeholder: false,
      ...(made === 0 ? { lease: model.now + LEASE_MS } : {}),
    })
}

/** The instants at which something may become due. */
export const dueInstants = ({ effects }: Model): number[] => effects.things.flatMap(({ due, lease }) => [due, lease])

/** What the end of a run asks of its ledger. */
export function beginCleanup({ effects }: Model): void {
  if (effects.things.length === 0) return
  effects.cleanup = effects.things.some(isUnresolved) ? 'PENDING' : 'CLEAN'
}

/**
 * Takes back one thing after the other, the newest that is due first: all once the run is over and no step of it is in
 * flight, before that what has a lease that ran out.
 */
export function cleanUp(model: Model): void {
  const { effects } = model
  if (reverting(model) !== undefined) return
  const mayAll = effects.cleanup === 'PENDING' && inFlight(model) === undefined
  const active = effects.things.filter(({ status }) => status === 'ACTIVE')
  const next = active.findLast(({ due, lease }) => due <= model.now && (mayAll || lease <= model.now))
  if (next !== undefined) Object.assign(next, { status: 'REVERTING', attempts: next.attempts + 1, due: 0 })
  if (active.length > 0 || !mayAll) return
  effects.cleanup = effects.things.some(isUnresolved) ? 'INCOMPLETE' : 'CLEAN'
  if (model.status === 'ENDING') model.status = 'COMPLETED'
}

export function revertAnswered(model: Model, answer: 'done' | 'transient' | 'terminal'): void {
  const thing = reverting(model)
  if (thing === undefined) return
  if (answer === 'done') thing.status = 'REVERTED'
  else if (answer === 'transient' && thing.attempts < MAX_ATTEMPTS)
    Object.assign(thing, { status: 'ACTIVE', due: model.now + RETRY_MS })
  else thing.status = 'FAILED'
}

export function revertCrashed(model: Model): void {
  const thing = reverting(model)
  model.now += CRASH_MS
  if (thing !== undefined) thing.status = thing.attempts >= MAX_ATTEMPTS ? 'FAILED' : 'ACTIVE'
}

export function retryCleanup({ effects }: Model): void {
  for (const thing of effects.things)
    if (thing.status === 'FAILED') Object.assign(thing, { status: 'ACTIVE', attempts: 0, due: 0 })
  effects.cleanup = 'PENDING'
}

export function abandon({ effects }: Model, index: number): void {
  Object.assign(effects.things[index] ?? {}, { status: 'ABANDONED' })
  if (!effects.things.some(isUnresolved)) effects.cleanup = 'CLEAN'
}
