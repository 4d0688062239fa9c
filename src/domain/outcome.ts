import {
  type CreatedResource,
  type Participation,
  readOutput,
  readParticipants,
  readResources,
  UnreadablePart,
} from './answer-parts.ts'
import { beginningOf } from './censor.ts'
import { failureOf } from './failure.ts'
import { isObject } from './plain-object.ts'
import { storableText } from './storable.ts'

/** What an answer of an action brought with it. `output` is any JSON value, absent where there is none. */
export type Yield = { resources: CreatedResource[]; participants: Participation[]; output?: unknown }

/** What an action's answer means for its step. Errors are whole, of any length. */
export type Outcome =
  /** `holdSeconds`: what follows may start that much later; above 0, at most 7 days. */
  | ({ kind: 'done'; holdSeconds?: number } & Yield)
  /** Waits for a person; without an instruction the cue shows the step's label, else the action's. */
  | ({ kind: 'parked'; instruction?: string } & Yield)
  /**
   * Transient: may be tried again. `timedOut`: the budget was over before there was an answer. `notCalled`: the run had
   * ended before the action could be called.
   */
  | { kind: 'failed'; transient: boolean; error: string; timedOut?: true; notCalled?: true }
  | Refused

/** Permission or a cap said no, so that the action was not called. */
export type Refused = { kind: 'refused'; error: string } & Refusal

/** What `step.refused` says. For a cap: what the step would have added to the dimension, and how full its meter is. */
export type Refusal =
  | { code: 'ACTION_DISABLED' | 'ACTION_UNREGISTERED' }
  | { code: 'CAP_EXCEEDED'; dimension: string; requested: number; cap: number; consumed: number }

/** The longest hold, in seconds: 7 days. */
export const LONGEST_HOLD_SECONDS = 7 * 24 * 60 * 60

/**
 * Decides what an answer means. Only an object whose own `ok` is `true` can be a success, and only if all that it says
 * can be understood:
 * - `await` other than 'human' is an unusable answer: going on might pass over a person;
 * - a hold, resource or participant that cannot be read is a terminal failure, since the same would come again, and
 *   more of what nobody can take back might be made meanwhile;
 * - a hold that comes with `await` is dropped: the person decides when it goes on;
 * - null in an optional field counts as not given, but for `holdFor`, where it is no number.
 * `ignored`: fields that mean nothing here, whatever they say. Never throws: an answer that cannot even be read is an
 * unusable one.
 */
export function classify(answer: unknown, ignored: readonly string[] = []): Outcome {
  try {
    if (!isObject(answer) || answer instanceof Error) return unusable(shapeOf(answer))
    return classifyObject(answer, ignored)
  } catch (error) {
    if (error instanceof UnreadablePart) return terminal(`${error.message}; the action has to be corrected`)
    return unusable(`one that cannot be read (${failureOf(error)})`)
  }
}

/** A failure that may be tried again. */
export const transient = (error: string): Outcome => ({ kind: 'failed', transient: true, error })
/** A failure that trying again cannot help. */
export const terminal = (error: string): Outcome => ({ kind: 'failed', transient: false, error })

function classifyObject(answer: Record<string, unknown>, ignored: readonly string[]): Outcome {
  // Each field is read once, and only where it is the answer's own: an HTTP response has an inherited `ok`.
  const field = (name: string): unknown =>
    Object.hasOwn(answer, name) && !ignored.includes(name) ? answer[name] : undefined
  const ok = field('ok')
  if (ok === false) {
    const retry = field('retry')
    const error = failureOf(field('error'))
    return retry === false ? terminal(error) : transient(error)
  }
  if (ok !== true) return unusable(ok === undefined ? 'an object without "ok"' : `one whose "ok" is ${shapeOf(ok)}`)
  if (typeof field('then') === 'function') return unusable('a promise')

  const wait = field('await') ?? undefined
  if (wait !== undefined && wait !== 'human') return unusable(`one whose "await" is ${shapeOf(wait)} and not "human"`)
  const holdSeconds = readHold(field('holdFor'))
  const output = readOutput(field('output') ?? undefined)
  const brought: Yield = {
    resources: readResources(field('resources')),
    participants: readParticipants(field('participants')),
    ...(output === undefined ? {} : { output }),
  }
  if (wait === undefined) return { kind: 'done', ...(holdSeconds > 0 ? { holdSeconds } : {}), ...brought }
  const instruction = field('instruction')
  const shown = typeof instruction === 'string' ? storableText(instruction).trim() : ''
  return { kind: 'parked', ...(shown === '' ? {} : { instruction: shown }), ...brought }
}

const NUMERIC = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i

/** Seconds to hold for, cut to the longest; 0: none. */
function readHold(given: unknown): number {
  if (given === undefined) return 0
  const seconds = typeof given === 'string' && NUMERIC.test(given.trim()) ? Number(given) : given
  if (typeof seconds !== 'number' || Number.isNaN(seconds) || seconds < 0) {
    throw new UnreadablePart(`holdFor must be seconds from 0 to ${LONGEST_HOLD_SECONDS}, and is ${shapeOf(given)}`)
  }
  return Math.min(seconds, LONGEST_HOLD_SECONDS)
}

function unusable(shape: string): Outcome {
  return transient(`the answer was unusable: it was ${shape}; an action answers { ok: true } or { ok: false, error }`)
}

/** A value in a few words. */
function shapeOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (typeof value === 'string') {
    return `the text ${JSON.stringify(storableText(beginningOf(value, 40)))}`
  }
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return 'a list'
  if (value instanceof Error) return `an error that was returned and not thrown (${failureOf(value)})`
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
