import type { Censor } from '../domain/censor.ts'
import type { Clock } from '../domain/clock.ts'
import { formatDuration } from '../domain/duration.ts'
import { failureOf } from '../domain/failure.ts'
import { classify, type Outcome, transient } from '../domain/outcome.ts'
import { storableText } from '../domain/storable.ts'
import { CallSignal } from './call-signal.ts'
import { discreetOutcome } from './discreet.ts'
import type { ActionContext, Envelope, LogLevel, RevertRequest } from './module.ts'
import type { RegisteredAction } from './registered.ts'

/** Without a reason, each abort makes an exception with its stack, which nobody reads. */
const OVER = 'the call is over'

/** What the log shows where an action logs what has no text: nothing has failed by that. */
const NOTHING_SAID = '(a message without text)'

export type CallOptions = {
  /** Passed on to the action, which may stop early; the call still ends by answer or budget. */
  signal: AbortSignal
  /** What the action says while it runs. Not called any more once the call is over. */
  log(message: string, level: LogLevel): void
  /** Measures the budget: the runner's own, so that a test moves both by hand. */
  clock: Clock
  /** Strikes secrets out of what the action says and answers. */
  censor: Censor
  /** Fields of the answer that mean nothing here, whatever they say. */
  ignored?: readonly string[]
}

/**
 * Calls an action once and says what its answer means. Never rejects, and ends at the action's budget whatever the
 * action does: an answer that comes later goes nowhere. The action gets a copy of the params, its to change.
 */
export function callAction(
  action: Pick<RegisteredAction, 'budgetMs' | 'perform'>,
  envelope: Envelope,
  options: CallOptions,
): Promise<Outcome> {
  const perform = (context: ActionContext) =>
    action.perform({ ...envelope, actor: { ...envelope.actor }, params: copy(envelope.params) }, context)
  return bounded(perform, { ...options, budgetMs: action.budgetMs })
}

/** Nothing but whether it is gone is asked. */
const MEANINGLESS_OF_A_REVERT = ['holdFor', 'await', 'resources', 'participants', 'output']

/** Calls an action once to take back what it made, in the same way: an answer that is no failure says that it is gone. */
export function callRevert(
  { budgetMs, revert }: Pick<RegisteredAction, 'budgetMs'> & { revert: NonNullable<RegisteredAction['revert']> },
  request: RevertRequest,
  options: CallOptions,
): Promise<Outcome> {
  const { resource } = request
  const take = (context: ActionContext) =>
    revert({ ...request, resource: { ...resource, payload: copy(resource.payload) } }, context)
  return bounded(take, { ...options, budgetMs, ignored: MEANINGLESS_OF_A_REVERT })
}

async function bounded(
  ask: (context: ActionContext) => unknown,
  { signal, log, clock, censor, budgetMs, ignored = [] }: CallOptions & { budgetMs: number },
): Promise<Outcome> {
  const until = clock.now() + budgetMs
  const stop = new CallSignal(signal)
  let isOver = false
  const context: ActionContext = {
    get signal() {
      return stop.signal
    },
    log(message: unknown, level?: unknown) {
      if (isOver) return
      log(
        censor(typeof message === 'string' ? storableText(message) : failureOf(message, { silent: NOTHING_SAID })),
        level === 'warn' || level === 'error' ? level : 'info',
      )
    },
  }
  const answered = new Promise<unknown>((resolve) => {
    resolve(ask(context))
  }).then(
    (answer) => classify(answer, ignored),
    (error: unknown) => transient(failureOf(error)),
  )
  try {
    // An answer that comes at once needs no watch over its time.
    const atOnce = await Promise.race([answered, nextTurn()])
    const outcome = atOnce ?? (await beforeEnd(answered, { until, clock })) ?? outOfTime(budgetMs, stop)
    return discreetOutcome(outcome, censor)
  } finally {
    isOver = true
    stop.end()
  }
}

const nextTurn = () => new Promise<null>((resolve) => setImmediate(resolve, null))

/** The answer, or null where it has not come until then. */
async function beforeEnd(
  answered: Promise<Outcome>,
  { until, clock }: { until: number; clock: Clock },
): Promise<Outcome | null> {
  const over = new AbortController()
  try {
    return await Promise.race([answered, clock.sleepUntil(until, over.signal).then(() => null)])
  } finally {
    over.abort(OVER)
  }
}

function outOfTime(budgetMs: number, stop: CallSignal): Outcome {
  const error = `no answer within ${formatDuration(budgetMs)}`
  stop.abort(new DOMException(error, 'TimeoutError'))
  return { kind: 'failed', transient: true, error, timedOut: true }
}

/** Plain objects and lists are copied; what a schema made besides (a Date, a URL) is passed as it is. */
function copy<T>(value: T): T
function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => copy(item))
  if (typeof value !== 'object' || value === null) return value
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copy(item)]))
}
