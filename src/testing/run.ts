import type { ControlContext } from '../controls/context.ts'
import type { Refusal } from '../controls/result.ts'
import {
  advancePhase,
  cancelRun,
  endHold,
  pauseRun,
  type RunControlInput,
  rescheduleRun,
  resumeRun,
} from '../controls/runs.ts'
import { claimCue, confirmCue, retryStep, skipStep } from '../controls/steps.ts'
import type { Actor } from '../domain/actor.ts'
import { formatId } from '../domain/ids.ts'
import { isTerminal, type RunStatus } from '../domain/run.ts'
import { type Waiting, type WaitingKind, waitingOn } from '../domain/waiting.ts'
import { waitingView } from '../graphql/situation.ts'
import type { Registry } from '../modules/registry.ts'
import { logAfter } from '../store/log-reads.ts'
import { participantsOf } from '../store/participants.ts'
import { readRunWithSteps } from '../store/run-with-steps.ts'
import { situationsOf } from '../store/situation-reads.ts'
import { granted, Refused } from './refused.ts'
import {
  type LogLine,
  logLineOf,
  matches,
  type ParticipantState,
  participantStateOf,
  type RunState,
  runStateOf,
  type StepState,
  stepStateOf,
} from './run-view.ts'

/** What a run needs of its server. */
export type RunHost = {
  ctx: ControlContext
  registry: Registry
  actor: Actor
  settle(): Promise<void>
  skip(): Promise<boolean>
  passes(time: string | number): Promise<void>
}

type By = { by?: string }
type Because = By & { reason?: string }

/** These end only when somebody does something; time alone does not help. */
const NEEDS_SOMEBODY: readonly WaitingKind[] = ['CUE', 'PAUSED', 'SCHEDULE_PAUSED']
/** An event that goes on for longer does not finish. */
const LONGEST_MS = 400 * 86_400_000
/** More lines than an event of the largest spec writes. */
const LOG_LIMIT = 1_000_000

/** A run that a test server plays. Every control lets the run go as far as it goes without time passing. */
export class TestRun {
  /** As the API shows it: `run_…`. */
  readonly id: string
  readonly #runId: string
  readonly #host: RunHost

  /** @internal */
  constructor(runId: string, host: RunHost) {
    this.id = formatId('Run', runId)
    this.#runId = runId
    this.#host = host
  }

  /** RUNNING, PAUSED, COMPLETED … */
  async status(): Promise<RunStatus> {
    return (await this.#read()).status
  }

  /** The run as it is now. */
  async state(): Promise<RunState> {
    return runStateOf(await this.#read())
  }

  /** The steps in the order of the event; those of later phases appear when they are entered. */
  async steps(): Promise<StepState[]> {
    const { steps } = await this.#read()
    return steps.map((step) => stepStateOf(step, this.#host.registry))
  }

  /** Who takes part, by rank and then member key; ranks are null until the results are published. */
  async participants(): Promise<ParticipantState[]> {
    return (await participantsOf(this.#host.ctx.db, this.#runId)).map(participantStateOf)
  }

  /** The run log so far, in order. */
  async log(): Promise<LogLine[]> {
    return (await logAfter(this.#host.ctx.db, this.#runId, { after: 0, limit: LOG_LIMIT })).map(logLineOf)
  }

  /** Why nothing is happening right now, as data and as a sentence; null once the run has ended. */
  async waitingOn(): Promise<Waiting | null> {
    const { ctx, registry } = this.#host
    const asked = { now: ctx.clock.now(), counted: { steps: false, resources: false } }
    const situation = (await situationsOf(ctx.db, [this.#runId], asked)).get(this.#runId)
    if (situation === undefined) throw new Error(`${this.id} is gone`)
    return waitingOn(waitingView(situation, { control: ctx, registry }))
  }

  /** Lets time pass for the whole server: "30m", "1h30m", or milliseconds. */
  passes(time: string | number): Promise<void> {
    return this.#host.passes(time)
  }

  /**
   * Lets time pass to whatever comes next until the run has ended, and answers how it did. Throws, with the sentence that
   * says what it waits for, where the run needs a person to go on.
   */
  async finish(): Promise<RunStatus> {
    const { clock } = this.#host.ctx
    const longest = clock.now() + LONGEST_MS
    await this.#host.settle()
    for (;;) {
      const waiting = await this.waitingOn()
      const status = await this.status()
      if (waiting === null) return status
      const needsSomebody = NEEDS_SOMEBODY.includes(waiting.kind) || (waiting.kind === 'GATE' && waiting.until === null)
      if (needsSomebody) throw new Error(`The run does not finish by itself. It is ${status}: ${waiting.description}`)
      if (clock.now() > longest || !(await this.#host.skip())) {
        throw new Error(
          `The run does not finish. It is ${status} at ${new Date(clock.now()).toISOString()}: ${waiting.description}`,
        )
      }
    }
  }

  /** What the cue that waits asks for is done. `which` (label, action or id) makes sure that it is the one you mean. */
  confirm(which?: string, { note, by }: By & { note?: string } = {}): Promise<void> {
    return this.#controlCue('confirmed', which, (stepId) =>
      confirmCue(this.#host.ctx, this.#actor(by), { stepId, note: note ?? null }),
    )
  }

  /** "I have it": names who does what the waiting cue asks for. */
  claim(which?: string, { takeOver, by }: By & { takeOver?: boolean } = {}): Promise<void> {
    return this.#controlCue('claimed', which, (stepId) =>
      claimCue(this.#host.ctx, this.#actor(by), { stepId, takeOver: takeOver ?? false }),
    )
  }

  /** Goes on without the first step of that label, action or id that is pending or waits for a person. */
  async skip(which: string, { reason = 'skipped by a test', by }: Because = {}): Promise<void> {
    const stepId = await this.#find(which, 'skipped', ({ status, waiting }) => waiting || status === 'PENDING')
    await this.#do(`"${which}" cannot be skipped`, () => skipStep(this.#host.ctx, this.#actor(by), { stepId, reason }))
  }

  /** Makes the step of that label, action or id that failed pending again; the run stays PAUSED until it is resumed. */
  async retry(which: string, { reason = 'retried by a test', by }: Because = {}): Promise<void> {
    const stepId = await this.#find(which, 'retried', ({ status }) => status === 'FAILED' || status === 'REFUSED')
    await this.#do(`"${which}" cannot be retried`, () => retryStep(this.#host.ctx, this.#actor(by), { stepId, reason }))
  }

  pause(why: Because = {}): Promise<void> {
    return this.#control('paused', pauseRun, why)
  }

  resume(why: Because = {}): Promise<void> {
    return this.#control('resumed', resumeRun, why)
  }

  cancel(why: Because = {}): Promise<void> {
    return this.#control('cancelled', cancelRun, why)
  }

  /** What is held goes on now. */
  endHold(why: Because = {}): Promise<void> {
    return this.#control('gone on with', endHold, why)
  }

  /** Forces the gate of the current phase. */
  async advance({ reason = 'advanced by a test', by }: Because = {}): Promise<void> {
    const { currentPhase } = await this.#read()
    await this.#do('The phase cannot be advanced', () =>
      advancePhase(this.#host.ctx, this.#actor(by), { runId: this.#runId, phase: currentPhase ?? '', reason }),
    )
  }

  /** Moves the start of a run that has not started. */
  async reschedule(scheduledFor: string | Date, { reason, by }: Because = {}): Promise<void> {
    await this.#do('The run cannot be rescheduled', () =>
      rescheduleRun(this.#host.ctx, this.#actor(by), {
        runId: this.#runId,
        scheduledFor: new Date(scheduledFor),
        reason: reason ?? null,
      }),
    )
  }

  async #control(
    past: string,
    control: (ctx: ControlContext, actor: Actor, input: RunControlInput) => Promise<{ error?: undefined } | Refusal>,
    { reason, by }: Because,
  ): Promise<void> {
    await this.#do(`The run cannot be ${past}`, () =>
      control(this.#host.ctx, this.#actor(by), { runId: this.#runId, reason: reason ?? null }),
    )
  }

  async #controlCue(
    past: string,
    which: string | undefined,
    control: (stepId: string) => Promise<{ error?: undefined } | Refusal>,
  ): Promise<void> {
    const stepId = await this.#find(which, past, ({ waiting }) => waiting)
    await this.#do(`The cue cannot be ${past}`, () => control(stepId))
  }

  async #do(what: string, control: () => Promise<{ error?: undefined } | Refusal>): Promise<void> {
    await this.#host.settle()
    granted(what, await control())
    await this.#host.settle()
  }

  /** The bare UUID of the first step that is named so and is fit. */
  async #find(which: string | undefined, past: string, suits: (step: StepState) => boolean): Promise<string> {
    const { steps: rows, status } = await this.#read()
    const steps = rows.map((row) => ({ uuid: row.id, state: stepStateOf(row, this.#host.registry) }))
    const found = steps.find(({ state }) => suits(state) && (which === undefined || matches(state, which)))
    if (found !== undefined) return found.uuid
    const waiting = isTerminal(status) ? `the run is ${status}` : ((await this.waitingOn())?.description ?? '')
    const list = steps.map(
      ({ state }) =>
        `\n  ${state.phase}: "${state.title}" (${state.actionId}) is ${state.waiting ? 'waiting for a person' : state.status}`,
    )
    const named = which === undefined ? 'No step' : `No step "${which}"`
    throw new Refused(`${named} can be ${past} now`, {
      error: 'NOT_FOUND',
      message: `${waiting} The steps:${list.join('')}`,
    })
  }

  #actor(by: string | undefined): Actor {
    return by === undefined ? this.#host.actor : { kind: 'USER', name: by }
  }

  async #read() {
    const run = await readRunWithSteps(this.#host.ctx.db.prisma, this.#runId)
    if (run === null) throw new Error(`${this.id} is gone`)
    return run
  }
}
