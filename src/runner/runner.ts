import { randomBytes } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { hostname } from 'node:os'
import { censorOf } from '../domain/censor.ts'
import type { Instant } from '../domain/picture.ts'
import { readNextInstant, renewLeases } from '../store/claims.ts'
import { letGo, noteBlocked } from './duties.ts'
import { Household } from './household.ts'
import { Intake } from './intake.ts'
import { Leases } from './leases.ts'
import { Ledgers } from './ledgers.ts'
import { type Call, Load } from './load.ts'
import { delay, unless } from './machine-time.ts'
import { type Depths, NO_METER } from './meter.ts'
import { Nap } from './nap.ts'
import type { RunnerOptions } from './runner-options.ts'
import { storesOf } from './stores.ts'
import { type Begin, inPass } from './tracing.ts'
import type { WorkContext } from './work-context.ts'

/** Shortest time between two looks for lapsed leases and missed starts. */
const HOUSEKEEPING_MS = 1000
const DAY_MS = 86_400_000
/** How soon to look again for due runs whose rows somebody held: statements are short. On the machine's clock. */
const LOCKED_MS = 5
/** How long stopping waits for actions in flight that were told to give up. */
const GIVE_UP_MS = 1_000
/** What may be taken back at a time, beside so much for runs. */
const share = (ofRuns: number) => Math.max(1, Math.floor(ofRuns / 4))

/**
 * The loop that starts runs on their instant and works them. Any number of processes may run one on the same database.
 * Starting and stopping are idempotent; a stopped runner stays stopped.
 */
export class Runner {
  readonly worker: string
  readonly #context: WorkContext
  /** The same for taking back, which has room of its own. */
  readonly #cleaning: WorkContext
  readonly #household: Household
  readonly #intake: Intake
  readonly #nap: Nap
  readonly #stopping = new AbortController()
  readonly #giveUp = new AbortController()
  readonly #tasks = new Set<Promise<void>>()
  #loop: Promise<void> | null = null
  #renewing: Promise<unknown> | null = null
  #stopped: Promise<void> | null = null
  /** There is more to do than there was room for. */
  #starved = false
  /** An instant came that somebody waited for, perhaps the end of a lease or of a grace window. */
  #sleptThrough = true
  #lastTick = Number.NEGATIVE_INFINITY
  #lastPass: { at: Instant; error: string | null } | null = null
  #idleWaiters: (() => void)[] = []

  constructor({
    worker = `${hostname()}:${process.pid}:${randomBytes(3).toString('hex')}`,
    ...options
  }: RunnerOptions) {
    this.worker = worker
    const { db, clock, settings, log } = options
    this.#nap = new Nap(clock)
    const leasing = { clock, leaseMs: settings.leaseMs, log }
    // Every action in flight may listen to it.
    setMaxListeners(0, this.#giveUp.signal)
    this.#context = {
      censor: censorOf([]),
      meter: NO_METER,
      ...options,
      ...storesOf(db.hot, { clock, mayStart: () => !this.#stopping.signal.aborted }),
      leases: new Leases({ ...leasing, renew: (leases) => renewLeases(db.hot, leases) }),
      ledgers: new Ledgers(db.hot, leasing),
      signal: this.#giveUp.signal,
      mayDispatch: () => !this.#stopping.signal.aborted,
      wakeAt: (instant) => this.#nap.wakeAt(instant),
      load: new Load({ working: settings.runConcurrency, calls: settings.maxDispatches }, this.#loadChanged),
    }
    const forCleanup = { working: share(settings.runConcurrency), calls: share(settings.maxDispatches) }
    this.#cleaning = { ...this.#context, load: new Load(forCleanup, this.#loadChanged) }
    this.#household = new Household(this.#context, {
      duty: (name, what) => this.#duty(name, what),
      wake: () => this.wake(),
      done: () => this.#settleIdle(),
    })
    this.#intake = new Intake(
      { context: this.#context, cleaning: this.#cleaning },
      { worker, duty: (name, what) => this.#duty(name, what), track: (work) => this.#track(work) },
    )
  }

  start(): void {
    if (this.#loop !== null || this.#stopped !== null) return
    const { changes } = this.#context
    const offWake = changes.onWake(() => this.wake())
    const offSchedules = changes.onSchedules(() => {
      this.#household.schedulesChanged = true
      this.wake()
    })
    this.#loop = this.#run().finally(() => {
      offWake()
      offSchedules()
    })
    const { leases, ledgers } = this.#context
    this.#renewing = Promise.all([leases, ledgers.leases].map((kept) => kept.keep(this.#giveUp.signal)))
  }

  /** There may be something to do now. */
  wake(): void {
    this.#nap.wake()
  }

  /**
   * Stops claiming at once, lets actions in flight finish for up to 10 s, tells the rest to give up, and lets go of its
   * claims. What does not give up keeps its claim until its lease ends.
   */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop()
    return this.#stopped
  }

  /** Why the runner is not doing its duty; null while it is. */
  trouble(): string | null {
    if (this.#loop === null || this.#stopping.signal.aborted) return 'the runner is not running'
    const { clock, settings } = this.#context
    if (this.#lastPass === null) return 'the runner has not finished its first pass yet'
    const age = clock.now() - this.#lastPass.at
    if (age > Math.max(10_000, settings.pollMs * 5)) return `the runner's last pass was ${Math.round(age / 1000)} s ago`
    return this.#lastPass.error
  }

  /** Resolves when nothing is due any more and nothing is being worked; actions being called do not count. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#idleWaiters.push(resolve)
      this.#settleIdle()
    })
  }

  /** The actions that are being called, and those that take back. */
  get calls(): ReadonlySet<Call> {
    return new Set([...this.#context.load.calls, ...this.#cleaning.load.calls])
  }

  /** How many runs and ledgers it works on, with those whose action is being called. */
  get inHand(): number {
    return this.#tasks.size
  }

  /** How much is under way or waits here. */
  get depths(): Depths {
    const { load, starts, transitions } = this.#context
    const reverts = this.#cleaning.load.calls.size
    const waiting = starts.waiting + transitions.waiting
    return { working: this.#tasks.size, dispatches: load.calls.size, reverts, transitions: waiting }
  }

  async #run(): Promise<void> {
    const { clock, settings, db, ledgers } = this.#context
    const horizonMs = settings.horizonDays * DAY_MS
    while (!this.#stopping.signal.aborted) {
      this.#nap.awake()
      // What was due at this instant has been looked at; what comes due during the pass has not.
      const now = clock.now()
      const more = await inPass((begin) => this.#pass(now, begin))
      if (more && this.#context.load.hasRoom) continue
      this.#starved = more
      const cleaning = ledgers.leases.claims
      const ahead = more
        ? undefined
        : await this.#duty('next instant', () => readNextInstant(db.hot, { now, horizonMs, cleaning }))
      const mayClean = this.#cleaning.load.room > 0
      if (ahead?.ledgers && mayClean && (await this.#duty('clean up', () => this.#intake.cleanUp(now)))) continue
      this.#starved ||= ahead?.ledgers === true && !mayClean
      const isLocked = ahead?.locked || (ahead?.ledgers && mayClean)
      if (isLocked && this.#lastPass?.error === null) await delay(LOCKED_MS, this.#giveUp.signal)
      else await this.#sleepUntilNext(now, ahead?.next ?? Number.POSITIVE_INFINITY)
    }
  }

  async #sleepUntilNext(now: Instant, next: Instant): Promise<void> {
    const { clock, settings } = this.#context
    const until = Math.min(clock.now() + settings.pollMs, next)
    // Where it sleeps until then, nothing but a change makes it look again before.
    if (until === next && until > clock.now() && !this.#nap.isWoken)
      await this.#duty('prepare starts', () => this.#intake.starts.prepare({ after: now, until }))
    if (this.#stopping.signal.aborted) return
    const came = await this.#nap.sleep(until, () => this.#settleIdle())
    this.#sleptThrough ||= came
  }

  readonly #loadChanged = (load: Load): void => {
    if (this.#starved && load.hasRoom) this.wake()
    this.#settleIdle()
  }

  #settleIdle(): void {
    const { dispatches, reverts } = this.depths
    if (!this.#nap.isAsleep || this.#household.work !== null || this.#tasks.size > dispatches + reverts) return
    for (const resolve of this.#idleWaiters.splice(0)) resolve()
  }

  /** Claims what is due at `now`, and keeps house. True: there is more than there was room for. */
  async #pass(now: Instant, begin: Begin): Promise<boolean> {
    const { more, fault } = await this.#intake.takeUpDue(now, begin)
    this.#lastPass = { at: this.#context.clock.now(), error: fault }
    if (this.#sleptThrough || now >= this.#lastTick + HOUSEKEEPING_MS) {
      this.#sleptThrough = false
      this.#lastTick = now
      await this.#duty('reclaim', () => this.#intake.reclaim(now, begin))
      // However much there is to start, what is in the way of others is cleaned up.
      await this.#duty('clean up', () => this.#intake.cleanUp(now))
      this.#household.keep(now)
    } else if (this.#household.schedulesChanged) {
      this.#household.keep(now)
    }
    if (more) return true
    await this.#duty('blocked', () => noteBlocked(this.#context))
    return false
  }

  #track(task: Promise<void>): void {
    this.#tasks.add(task)
    void task.finally(() => {
      this.#tasks.delete(task)
      this.#settleIdle()
    })
  }

  /** Runs one duty; an error in it is logged and harms no other. */
  async #duty<T>(name: string, what: () => Promise<T>): Promise<T | undefined> {
    try {
      return await what()
    } catch (error) {
      this.#context.meter.dutyFailed(name)
      this.#context.log.error({ err: error, duty: name }, `the runner's duty "${name}" failed; it is tried again`)
      return undefined
    }
  }

  async #stop(): Promise<void> {
    this.#stopping.abort()
    this.#nap.wake()
    // The pass under way and the actions in flight have the same time: a database that says nothing may hold up both.
    const finished = this.#finish()
    await Promise.race([finished, unless(finished, this.#context.settings.finishMs)])
    this.#giveUp.abort()
    await Promise.race([finished, unless(finished, GIVE_UP_MS)])
    await this.#loop
    await Promise.all([this.#renewing, this.#household.work])
    for (const resolve of this.#idleWaiters.splice(0)) resolve()
    await this.#duty('let go of claims', () => letGo(this.#context, this.worker))
  }

  async #finish(): Promise<void> {
    await this.#loop
    this.#intake.starts.forget()
    await this.#intake.starts.starting
    await Promise.allSettled([...this.#tasks])
  }
}
