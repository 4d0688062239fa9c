import { setTimeout as delay } from 'node:timers/promises'
import { parseId } from '../../src/domain/ids.ts'
import { ask, askUntilAnswered } from './api.ts'
import { EVENTS, publish } from './events.ts'

/** A start that was asked for; the run's UUID once a server has acknowledged it. */
export type Start = {
  slug: string
  definitionId: string
  requestId: string | null
  scope: string
  runId: string | null
}
/** A control that was asked for, named by a reason of its own. `acknowledged`: a server said that it was done. */
export type Order = { control: string; runId: string; reason: string; acknowledged: boolean }

const START = `mutation ($input: StartRunInput!) { startRun(input: $input) {
  __typename ... on StartRunPayload { created run { id } } ... on Error { message } } }`
// Those that wait for a key may be more than a page, and wait for those under way.
const OPEN_RUNS = `{
  unclean: runs(first: 100, filter: {cleanupStatus: [PENDING, INCOMPLETE]}) { edges { node { id allowedControls } } }
  waiting: runs(first: 50, filter: {status: [SCHEDULED]}) { edges { node { ...open } } }
  runs(first: 100, filter: {status: [STARTING, RUNNING, PAUSED, ENDING]}) { edges { node { ...open } } }
}
fragment open on Run {
  id status currentPhase allowedControls cues { id } steps(status: [FAILED, REFUSED]) { id allowedControls }
}`
const LEFT_RUNS = `{ runs(first: 500, filter: {status: [SCHEDULED, STARTING, RUNNING, PAUSED, ENDING]}) {
  edges { node { status cleanupStatus definition { slug } waitingOn { description } } } } }`

type OpenRun = {
  id: string
  status: string
  currentPhase: string | null
  allowedControls: string[]
  cues: { id: string }[]
  steps: { id: string; allowedControls: string[] }[]
}

type Unclean = Pick<OpenRun, 'id' | 'allowedControls'>

const reasoned = (mutation: string) =>
  `mutation ($id: ID!, $reason: String!) { done: ${mutation}(input: {id: $id, reason: $reason}) { __typename } }`
const CONTROLS: Record<string, string> = {
  PAUSE: reasoned('pauseRun'),
  RESUME: reasoned('resumeRun'),
  CANCEL: reasoned('cancelRun'),
  RETRY: reasoned('retryStep'),
  RETRY_CLEANUP: reasoned('retryCleanup'),
  CONFIRM: `mutation ($id: ID!, $reason: String!) { done: confirmCue(input: {id: $id, note: $reason}) { __typename } }`,
}

const LANES = ['north', 'south']
/** Beyond so many that wait, mostly for a key, nobody starts more: they go one after the other, long after the last kill. */
const ENOUGH_WAIT = 20

/** The people and scripts at the API: they start runs and control them, and write down what they were told. */
export class Crew {
  readonly starts: Start[] = []
  readonly orders: Order[] = []
  /** False: only what lets runs end is still done. */
  mischief = true
  readonly #where: () => string | null
  readonly #random: () => number
  #definitions: { slug: string; id: string }[] = []
  #waiting = 0

  constructor(where: () => string | null, random: () => number) {
    this.#where = where
    this.#random = random
  }

  async publishAll(): Promise<void> {
    for (const event of EVENTS) {
      this.#definitions.push({ slug: event.slug, id: await publish(this.#where, event) })
    }
  }

  /** Starts a run of a random event, and asks until it is acknowledged; at times twice at once. */
  async start(): Promise<void> {
    const { slug, id } = this.#pick(this.#definitions)
    const byRequest = this.#random() < 0.5
    const start: Start = {
      slug,
      definitionId: parseId(id)?.uuid ?? '',
      requestId: byRequest ? `request-${this.starts.length}` : null,
      scope: `scope-${this.starts.length}`,
      runId: null,
    }
    this.starts.push(start)
    const input = {
      definitionId: id,
      scope: start.scope,
      ...(slug === 'keyed' || slug === 'spawning' ? { params: { lane: this.#pick(LANES) } } : {}),
      // Without a request id it is the instant that tells a repeat.
      ...(byRequest ? { requestId: start.requestId } : { scheduledFor: new Date(Date.now() + 300).toISOString() }),
    }
    const asked = Array.from({ length: this.#random() < 0.3 ? 2 : 1 }, () =>
      askUntilAnswered(this.#where, START, { input }),
    )
    for (const { startRun } of await Promise.all(asked)) {
      const { run } = startRun as { run?: { id: string } }
      const runId = run === undefined ? undefined : parseId(run.id)?.uuid
      if (runId === undefined) throw new Error(`The start of ${slug} was refused: ${JSON.stringify(startRun)}`)
      if (start.runId !== null && start.runId !== runId) throw new Error(`Two runs answered ${JSON.stringify(start)}`)
      start.runId = runId
    }
  }

  /** Looks once at what is not over and does what comes to mind; answers how many runs are not, null when nobody says. */
  async look(): Promise<number | null> {
    const reply = await ask(this.#where(), OPEN_RUNS)
    if (!('data' in reply)) return null
    const { runs, waiting } = reply.data as Record<string, { edges: { node: OpenRun }[] }>
    this.#waiting = waiting?.edges.length ?? 0
    const open = [...(runs?.edges ?? []), ...(waiting?.edges ?? [])]
    const unclean = reply.data.unclean as { edges: { node: Unclean }[] }
    await Promise.all([
      ...open.map(({ node }) => this.#tend(node)),
      ...unclean.edges.map(({ node }) => this.#tidy(node)),
    ])
    return new Set([...open, ...unclean.edges].map(({ node }) => node.id)).size
  }

  /** What is not over and why, for people. */
  async left(): Promise<string> {
    return JSON.stringify(await ask(this.#where(), LEFT_RUNS))
  }

  /** Looks again and again, and starts runs as long as there is to be mischief. */
  async work(signal: AbortSignal): Promise<void> {
    const starting: Promise<void>[] = []
    while (!signal.aborted) {
      if (this.mischief && this.#waiting < ENOUGH_WAIT && this.#random() < 0.35) starting.push(this.start())
      await this.look()
      await delay(100)
    }
    await Promise.all(starting)
  }

  async #tend(run: OpenRun): Promise<void> {
    const failed = run.steps.find((step) => step.allowedControls.includes('RETRY'))
    for (const cue of run.cues) if (this.#random() < 0.5) await this.#order('CONFIRM', run, cue.id)
    if (run.allowedControls.includes('RESUME') && this.#random() < 0.5) {
      if (failed !== undefined && this.mischief && this.#random() < 0.6) await this.#order('RETRY', run, failed.id)
      await this.#order('RESUME', run, run.id)
    } else if (this.mischief && run.allowedControls.includes('PAUSE') && this.#random() < 0.03) {
      await this.#order('PAUSE', run, run.id)
    } else if (this.mischief && run.allowedControls.includes('CANCEL') && this.#random() < 0.006) {
      await this.#order('CANCEL', run, run.id)
    }
  }

  async #tidy(run: Unclean): Promise<void> {
    if (run.allowedControls.includes('RETRY_CLEANUP') && this.#random() < 0.5)
      await this.#order('RETRY_CLEANUP', run, run.id)
  }

  async #order(control: string, run: Unclean, id: string): Promise<void> {
    const reason = `order-${this.orders.length}`
    const order: Order = { control, runId: parseId(run.id)?.uuid ?? '', reason, acknowledged: false }
    this.orders.push(order)
    const reply = await ask(this.#where(), CONTROLS[control] ?? '', { id, reason })
    if (!('data' in reply)) return
    const { done } = reply.data as { done: { __typename: string } }
    // Somebody else, or the run itself, may have been there first.
    order.acknowledged = done.__typename.endsWith('Payload')
  }

  #pick<T>(from: readonly T[]): T {
    const picked = from[Math.floor(this.#random() * from.length)]
    if (picked === undefined) throw new Error('There is nothing to pick from.')
    return picked
  }
}
