import type { ControlContext } from '../controls/context.ts'
import { startRun } from '../controls/start.ts'
import type { Actor } from '../domain/actor.ts'
import { censorOf } from '../domain/censor.ts'
import { parseDuration } from '../domain/duration.ts'
import { IntlZones } from '../domain/recurrence/intl-zones.ts'
import { Timetables } from '../domain/timetable.ts'
import { coreModule } from '../modules/core/core.ts'
import { loadModules } from '../modules/load.ts'
import type { ModuleDefinition } from '../modules/module.ts'
import { Registry } from '../modules/registry.ts'
import { Runner } from '../runner/runner.ts'
import { DEFAULT_RUNNER_SETTINGS, type RunnerSettings } from '../runner/settings.ts'
import { Changes } from '../store/changes.ts'
import { type Database, openDatabase } from '../store/database.ts'
import { type EmitOptions, type Emitted, emitFrom } from './emit.ts'
import { type EventInput, publishEvent, readEvent } from './event.ts'
import { FakeClock } from './fake-clock.ts'
import { impatient, letPass, type Patience, settled, skip } from './play.ts'
import { type Post, RecordingTargets } from './recording-targets.ts'
import { granted, Refused } from './refused.ts'
import { TestRun } from './run.ts'
import { type ActionSettings, setFrom } from './setting.ts'
import { borrowDatabase } from './shared-postgres.ts'

export type TestServerOptions = {
  /** What module files export, or paths of such files (from the working directory, or file URLs; TypeScript too). */
  modules?: readonly (ModuleDefinition | string | URL)[]
  /** Names that events may post to. Nothing is sent: `server.posts` holds what would have been. */
  targets?: readonly string[]
  /** When the clock begins: an RFC 3339 instant. 2026-01-01T00:00:00Z where omitted. */
  start?: string | Date
  /** How a step that failed for the moment is tried again, as the server's settings say. */
  stepMaxAttempts?: number
  stepRetryMs?: number
  /** Ids of actions that are meant to hang: time goes on while they are being called. */
  hanging?: readonly string[]
  /** How long the answer of any other may take on the machine's clock, in milliseconds; 4000 where omitted. */
  patienceMs?: number
}

export type PlayOptions = {
  /** Values of the event's parameters; what is omitted gets its default. */
  params?: Record<string, unknown>
  scope?: string
  /** Who starts the run and, where a control does not say, controls it. */
  by?: string
  /** When it starts. Now where omitted. */
  scheduledFor?: string | Date
  rehearsal?: boolean
}

const START = '2026-01-01T00:00:00Z'
const SOMEBODY = 'Tester'
const POOL_SIZE = 4
/** How far apart the runner's own instants are, so that hours pass in one go: nobody else works on the database. */
const POLL_MS = 86_400_000
/** Leases are renewed at a third of it. */
const LEASE_MS = 3 * POLL_MS
/** How long closing waits for an action that hangs, on the machine's clock. */
const FINISH_MS = 50

/**
 * A Cuelight server for the tests of a module: the real runner, controls and PostgreSQL, on a clock that moves only when
 * the test lets time pass. The PostgreSQL is started for the first server of a process and ends with the last one that is
 * closed; each server has a database of its own.
 *
 * Throws what is wrong with a module, and a sentence where PostgreSQL cannot be started.
 */
export async function createTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const start = instantOf('start', options.start ?? START)
  const targets = new RecordingTargets(options.targets ?? [])
  const registry = new Registry()
  registry.register(coreModule(targets), { core: true })
  for (const module of options.modules ?? []) await register(registry, module)
  const [failure] = registry.failures()
  if (failure !== undefined)
    throw new Error(`The module ${failure.source} is refused:\n  ${failure.problems.join('\n  ')}`)

  for (const id of options.hanging ?? []) {
    if (registry.action(id) === undefined)
      throw new Error(`hanging names the action ${id}, which no module has; correct it.`)
  }

  const { url, drop } = await borrowDatabase()
  try {
    const db = await openDatabase({ url, poolSize: POOL_SIZE, runnerPoolSize: POOL_SIZE })
    return new TestServer({ db, drop, registry, start, targets, options })
  } catch (error) {
    await drop()
    throw error
  }
}

async function register(registry: Registry, module: ModuleDefinition | string | URL): Promise<void> {
  if (typeof module !== 'string' && !(module instanceof URL)) {
    registry.register(module)
    return
  }
  const specifiers = [module instanceof URL ? module.href : module]
  await loadModules({ specifiers, registry, cwd: process.cwd(), log: () => {} })
}

type Parts = {
  db: Database
  drop: () => Promise<void>
  registry: Registry
  start: number
  targets: RecordingTargets
  options: TestServerOptions
}

/** Made by `createTestServer`. */
export class TestServer {
  readonly #ctx: ControlContext
  readonly #registry: Registry
  readonly #clock: FakeClock
  readonly #patienceMs: number | undefined
  readonly #runner: Runner
  readonly #patience: Patience
  readonly #targets: RecordingTargets
  readonly #drop: () => Promise<void>
  readonly #definitions = new Map<string, string>()
  readonly #faults: Error[] = []
  #closed: Promise<void> | null = null

  /** @internal */
  constructor({ db, drop, registry, start, targets, options }: Parts) {
    const { stepMaxAttempts, stepRetryMs, hanging = [], patienceMs } = options
    this.#clock = new FakeClock(start)
    this.#patienceMs = patienceMs
    this.#registry = registry
    this.#targets = targets
    this.#drop = drop
    const zones = new IntlZones()
    const { horizonDays } = DEFAULT_RUNNER_SETTINGS
    this.#ctx = {
      db,
      changes: new Changes(),
      clock: this.#clock,
      censor: censorOf([]),
      catalog: registry,
      zones,
      timetables: new Timetables(zones),
      horizonDays,
    }
    const settings: RunnerSettings = {
      ...DEFAULT_RUNNER_SETTINGS,
      pollMs: POLL_MS,
      leaseMs: LEASE_MS,
      finishMs: FINISH_MS,
    }
    if (stepMaxAttempts !== undefined) settings.stepMaxAttempts = stepMaxAttempts
    if (stepRetryMs !== undefined) settings.stepRetryMs = stepRetryMs
    const note = ({ err }: { err?: unknown }, message: string) => this.#faults.push(new Error(message, { cause: err }))
    const log = { info() {}, warn: note, error: note }
    this.#runner = new Runner({ db, changes: this.#ctx.changes, clock: this.#clock, registry, zones, settings, log })
    this.#patience = {
      hangs: ({ step }) => step.resource === undefined && hanging.includes(step.actionId),
      ...(patienceMs === undefined ? {} : { patienceMs }),
    }
    this.#runner.start()
  }

  /** What the clock of the server shows. */
  now(): Date {
    return new Date(this.#clock.now())
  }

  /** What was posted to targets so far. */
  get posts(): readonly Post[] {
    return this.#targets.posts
  }

  /**
   * Publishes an event (as it is, or the path or file URL of a JSON file that holds it), starts a run of it and lets it
   * go as far as it goes without time passing. The same slug again is a new version of the same event.
   *
   * Throws `Refused` with all that is wrong with the event or with the params.
   */
  async play(event: EventInput | string | URL, options: PlayOptions = {}): Promise<TestRun> {
    this.#assertOpen()
    const { params, scope, scheduledFor, rehearsal } = options
    const actor: Actor = { kind: 'USER', name: options.by ?? SOMEBODY }
    const input = await readEvent(event)
    const publishing = { ...this.#ctx, clock: impatient(this.#clock, this.#patienceMs) }
    const definitionId = await publishEvent(publishing, actor, {
      event: input,
      known: this.#definitions.get(input.slug),
    })
    this.#definitions.set(input.slug, definitionId)
    const what = `A run of "${input.slug}" cannot be started`
    const { runId, created } = granted(
      what,
      await startRun(this.#ctx, actor, {
        definitionId,
        ...(params === undefined ? {} : { params }),
        ...(scope === undefined ? {} : { scope }),
        ...(scheduledFor === undefined ? {} : { scheduledFor: new Date(instantOf('scheduledFor', scheduledFor)) }),
        ...(rehearsal === undefined ? {} : { rehearsal }),
      }),
    )
    if (!created) {
      const message = `There is one in the scope "${scope ?? ''}" at that instant; let time pass first, or give another scope.`
      throw new Refused(what, { error: 'CONFLICT', message })
    }
    const run = new TestRun(runId, {
      ctx: this.#ctx,
      registry: this.#registry,
      actor,
      settle: () => this.settle(),
      skip: () => this.#skip(),
      passes: (time) => this.passes(time),
    })
    await this.settle()
    return run
  }

  /**
   * Emits a trigger, as a game server would, and lets the runs go as far as they go without time passing. Answers which
   * gates it was tried on: all of them, or those of one scope; of real runs, or of rehearsals.
   *
   * Throws `Refused` where there is no such trigger or the payload does not fit it.
   */
  async emit(trigger: string, payload: Record<string, unknown> = {}, options: EmitOptions = {}): Promise<Emitted> {
    this.#assertOpen()
    const emitted = await emitFrom(this.#ctx, { trigger, payload, options: { by: SOMEBODY, ...options } })
    await this.settle()
    return emitted
  }

  /**
   * Sets for an action what an admin sets: whether it is switched on, and by dimension the most that a run may cause
   * (null: no bound). What is not given stays. Caps hold for runs that start from then on.
   *
   * Throws `Refused` where there is no such action or dimension.
   */
  async set(actionId: string, setting: ActionSettings): Promise<void> {
    this.#assertOpen()
    await setFrom(this.#ctx, actionId, { by: SOMEBODY, setting })
  }

  /** Lets time pass, from one instant that something waits for to the next: "30m", "1h30m", or milliseconds. */
  async passes(time: string | number): Promise<void> {
    this.#assertOpen()
    await letPass(lengthOf(time), this.#playing())
    this.#throwFault()
  }

  /** Resolves when nothing is left to be done at this instant. */
  async settle(): Promise<void> {
    this.#assertOpen()
    await settled(this.#runner, this.#patience)
    this.#throwFault()
  }

  /** Stops the runner and removes the database. Idempotent; nothing of it keeps the process alive afterwards. */
  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #skip(): Promise<boolean> {
    this.#assertOpen()
    const skipped = await skip(this.#playing())
    this.#throwFault()
    return skipped
  }

  async #close(): Promise<void> {
    try {
      await this.#runner.stop()
      await this.#ctx.db.close()
    } finally {
      await this.#drop()
    }
  }

  #playing() {
    return { ...this.#patience, clock: this.#clock, runner: this.#runner }
  }

  #assertOpen(): void {
    if (this.#closed !== null) throw new Error('The test server is closed; create another one.')
  }

  /** A fault of Cuelight itself must not pass for an event that does nothing. */
  #throwFault(): void {
    const [fault] = this.#faults.splice(0)
    if (fault !== undefined) throw fault
  }
}

function lengthOf(time: string | number): number {
  if (typeof time === 'number') {
    if (Number.isFinite(time) && time >= 0) return time
    throw new Error(`The time that passes must be zero or more milliseconds, and ${time} is not.`)
  }
  const parsed = parseDuration(time)
  if (parsed.ok) return parsed.ms
  throw new Error(`The time that passes ${parsed.problem}`)
}

function instantOf(name: string, given: string | Date): number {
  const instant = new Date(given).getTime()
  if (!Number.isNaN(instant)) return instant
  throw new Error(`${name} must be an instant like ${START}, or a Date; correct it.`)
}
