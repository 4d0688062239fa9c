import { expect, onTestFinished } from 'vitest'
import type { ControlContext } from '../../src/controls/context.ts'
import { type EmitTriggerInput, emitTrigger } from '../../src/controls/emit.ts'
import { type StartRunInput, startRun } from '../../src/controls/start.ts'
import type { Actor } from '../../src/domain/actor.ts'
import type { ZoneData } from '../../src/domain/recurrence/zone-data.ts'
import type { RunStatus } from '../../src/domain/run.ts'
import type { Prisma } from '../../src/generated/prisma/client.ts'
import { coreModule } from '../../src/modules/core/core.ts'
import { Registry } from '../../src/modules/registry.ts'
import { Targets } from '../../src/modules/targets.ts'
import type { Meter } from '../../src/runner/meter.ts'
import { Runner } from '../../src/runner/runner.ts'
import { DEFAULT_RUNNER_SETTINGS, type RunnerSettings } from '../../src/runner/settings.ts'
import { Changes } from '../../src/store/changes.ts'
import type { Database } from '../../src/store/database.ts'
import { mintId } from '../../src/store/ids.ts'
import { FakeClock } from '../../src/testing/fake-clock.ts'

import { letPass, type Patience, settled } from '../../src/testing/play.ts'
import { controlContext } from './context.ts'

import { testDatabase } from './database.ts'
import { Script } from './script.ts'

/** When every stage begins. */
export const T0 = Date.parse('2026-03-06T20:00:00.000Z')
export const MIRA: Actor = { kind: 'USER', name: 'Mira' }
export const TOM: Actor = { kind: 'USER', name: 'Tom' }
export const SHARD: Actor = { kind: 'TOKEN', name: 'shard' }

/** Longer than any action of these tests takes on a machine that is busy with something else. */
const PATIENCE_MS = 30_000

export type StageStep = {
  actionId?: string
  key?: string
  params?: Record<string, unknown>
  label?: string
  onFailure?: 'SKIP' | 'PAUSE' | 'ABORT_RUN'
}
type GateSpec = { after: string } | { trigger: { on: string; where?: Prisma.InputJsonObject; count?: number } }
export type StagePhase = { key: string; label?: string; steps: StageStep[]; advance?: GateSpec }

const { db } = await testDatabase()

/** A stage on an empty database; the stages of one test file use it one after the other. */
export async function newStage(settings: Partial<RunnerSettings> = {}): Promise<Stage> {
  const stage = new Stage(db, settings)
  onTestFinished(async () => {
    await stage.stop()
    stage.checkFaults()
    const { prisma } = db
    await prisma.$transaction([
      prisma.logLine.deleteMany(),
      prisma.participant.deleteMany(),
      prisma.budgetLine.deleteMany(),
      prisma.resource.deleteMany(),
      prisma.actionSetting.deleteMany(),
      prisma.gate.deleteMany(),
      prisma.resource.deleteMany(),
      prisma.step.deleteMany(),
      prisma.run.deleteMany(),
      prisma.definition.updateMany({ data: { currentVersionId: null } }),
      prisma.version.deleteMany(),
      prisma.definition.deleteMany(),
    ])
  })
  return stage
}

const rawOf = (database: Database) => (sql: Prisma.Sql) => database.hot.$queryRaw(sql)

type Interposed = (sql: Prisma.Sql) => Promise<unknown>

/** A runner on a fake clock and a real database, with scripted actions. */
export class Stage {
  readonly script = new Script()
  readonly clock = new FakeClock(T0)
  readonly changes = new Changes()
  readonly registry = new Registry()
  readonly ctx: ControlContext
  readonly faults: { fields: object; message: string }[] = []
  readonly db: Database
  #interposed: Interposed | null = null
  #expectedFaults: RegExp | null = null
  runner: Runner
  readonly #settings: Partial<RunnerSettings>
  readonly #runners: Runner[] = []

  constructor(db: Database, settings: Partial<RunnerSettings> = {}) {
    const hot = new Proxy(db.hot, {
      get: (client, name) => {
        if (name === '$queryRaw') {
          return (sql: Prisma.Sql) => (this.#interposed === null ? client.$queryRaw(sql) : this.#interposed(sql))
        }
        const value = Reflect.get(client, name)
        return typeof value === 'function' ? value.bind(client) : value
      },
    })
    this.db = { ...db, hot }
    this.#settings = settings
    for (const [module, core] of [
      [coreModule(new Targets([])), true],
      [this.script.module, false],
    ] as const) {
      const registered = this.registry.register(module, { core })
      if (!registered.ok) throw new Error(registered.problems.join('\n'))
    }
    this.ctx = controlContext({
      db: this.db,
      changes: this.changes,
      clock: this.clock,
      catalog: this.registry,
      ...(settings.horizonDays === undefined ? {} : { horizonDays: settings.horizonDays }),
    })
    this.runner = this.newRunner()
    this.runner.start()
  }

  /** Sends a statement of the runner to its database. */
  readonly send = rawOf(db)

  /** Puts something between the runner and its database: it sends the statement, or does not, or not only. */
  interpose(send: Interposed): void {
    this.#interposed = send
  }

  /** What the runner may complain of in this test; without it, of nothing. */
  expectFaults(message: RegExp): void {
    this.#expectedFaults = message
  }

  checkFaults(): void {
    const unexpected = this.faults.filter(({ message }) => !this.#expectedFaults?.test(message))
    expect(unexpected).toEqual([])
  }

  /** Resolves when the runner has looked for due runs so many times more. */
  async passes(count: number): Promise<void> {
    for (let pass = 0; pass < count; pass += 1) {
      await new Promise<void>((resolve) => {
        const before = this.#interposed
        this.interpose(async (sql) => {
          const answer = await (before ?? this.send)(sql)
          if (sql.sql.includes('AS locked')) {
            this.#interposed = before
            resolve()
          }
          return answer
        })
      })
    }
  }

  /** Resolves when the lease of the run's claim was renewed at the clock's instant. */
  async renewed(runId: string): Promise<void> {
    const { leaseMs } = { ...DEFAULT_RUNNER_SETTINGS, ...this.#settings }
    const until = this.clock.now() + leaseMs
    while (((await this.run(runId)).leaseUntil?.getTime() ?? 0) < until)
      await new Promise((resolve) => setImmediate(resolve))
  }

  /** Stops every runner that the stage made. */
  async stop(): Promise<void> {
    await Promise.all(this.#runners.map((runner) => runner.stop()))
  }

  /** Another process's runner, as it were; it is not started. */
  newRunner(
    options: { worker?: string; settings?: Partial<RunnerSettings>; zones?: ZoneData; meter?: Meter } = {},
  ): Runner {
    const settings = {
      ...DEFAULT_RUNNER_SETTINGS,
      pollMs: 86_400_000,
      finishMs: 50,
      ...this.#settings,
      ...options.settings,
    }
    const note = (fields: object, message: string) => this.faults.push({ fields, message })
    const { db, changes, clock, registry } = this
    const worker = options.worker === undefined ? {} : { worker: options.worker }
    const meter = options.meter === undefined ? {} : { meter: options.meter }
    const log = { info: () => {}, warn: note, error: note }
    const { zones = this.ctx.zones } = options
    const runner = new Runner({ db, changes, clock, registry, zones, settings, log, ...worker, ...meter })
    this.#runners.push(runner)
    return runner
  }

  /** Publishes an event as the first version of a new definition. */
  async publish(
    phases: StagePhase[],
    options: { concurrencyKey?: string; graceSeconds?: number; parameters?: Prisma.InputJsonObject[] } = {},
  ): Promise<{ definitionId: string; versionId: string }> {
    const [definitionId, versionId] = [mintId(), mintId()]
    const at = new Date(this.clock.now())
    const spec: Prisma.InputJsonObject = {
      schedule: { manual: true },
      phases: phases.map(({ key, label = key, steps, advance }) => ({
        key,
        label,
        steps: steps.map(({ actionId = 'test.change', key: stepKey, params, label: title, onFailure = 'PAUSE' }) => ({
          actionId,
          actionVersion: 1,
          ...(title === undefined ? {} : { label: title }),
          params: (params ?? { key: stepKey }) as Prisma.InputJsonObject,
          onFailure,
        })),
        ...(advance === undefined ? {} : { advance }),
      })),
    }
    const { concurrencyKey = null, graceSeconds = 900, parameters = [] } = options
    const common = { timeZone: 'UTC', graceSeconds, concurrencyKey, parameters }
    const { prisma } = this.db
    await prisma.definition.create({
      data: {
        id: definitionId,
        slug: `event-${definitionId}`,
        title: 'Event',
        draft: spec,
        ...common,
        createdAt: at,
        updatedAt: at,
      },
    })
    await prisma.version.create({
      data: {
        id: versionId,
        definitionId,
        version: 1,
        spec,
        ...common,
        publishedAt: at,
        publishedByKind: 'USER',
        publishedByName: 'Mira',
      },
    })
    await prisma.definition.update({
      where: { id: definitionId },
      data: { state: 'READY', currentVersionId: versionId },
    })
    return { definitionId, versionId }
  }

  /** Starts a run without waiting for it to do anything. */
  async start(definitionId: string, input: Omit<StartRunInput, 'definitionId'> = {}, actor = MIRA): Promise<string> {
    const result = await startRun(this.ctx, actor, { definitionId, ...input })
    if (result.error !== undefined) throw new Error(result.message)
    return result.runId
  }

  /** Publishes an event, starts a run of it and lets it go as far as it goes. */
  async play(phases: StagePhase[], options: Parameters<Stage['publish']>[1] = {}): Promise<string> {
    const { definitionId } = await this.publish(phases, options)
    const runId = await this.start(definitionId)
    await this.settle()
    return runId
  }

  /** Emits a trigger (`test.slain` where omitted) and answers what became of it; it has to be accepted. */
  async emit(input: Partial<EmitTriggerInput> = {}, actor = SHARD) {
    const answer = await emitTrigger(this.ctx, actor, { trigger: 'test.slain', ...input })
    if (answer.error !== undefined) throw new Error(answer.message)
    return answer
  }

  /** What a test lets hang is not waited for. */
  readonly #patience: Patience = {
    hangs: ({ step }) => this.script.hangs(step.resource?.ref ?? step.params?.key),
    patienceMs: PATIENCE_MS,
  }

  settle(runner = this.runner): Promise<void> {
    return settled(runner, this.#patience)
  }

  letPass(ms: number): Promise<void> {
    return letPass(ms, { ...this.#patience, clock: this.clock, runner: this.runner })
  }

  /** Resolves when the run has that status. */
  async until(runId: string, status: RunStatus): Promise<void> {
    for (;;) {
      const changed = this.changed(runId)
      if ((await this.run(runId)).status === status) return
      await changed
    }
  }

  /** Resolves when the log of the run grows. */
  changed(runId: string): Promise<void> {
    return new Promise((resolve) => {
      const off = this.changes.onRun(runId, () => {
        off()
        resolve()
      })
    })
  }

  run(runId: string) {
    return this.db.prisma.run.findUniqueOrThrow({
      where: { id: runId },
      include: { steps: { orderBy: [{ phaseIndex: 'asc' }, { seq: 'asc' }] }, gates: true },
    })
  }

  async step(runId: string, seq = 0, phaseIndex = 0) {
    return this.db.prisma.step.findUniqueOrThrow({ where: { runId_phaseIndex_seq: { runId, phaseIndex, seq } } })
  }

  log(runId: string) {
    return this.db.prisma.logLine.findMany({ where: { runId }, orderBy: { line: 'asc' } })
  }

  /** The log in short: kinds, and where to where. */
  async story(runId: string): Promise<string[]> {
    return (await this.log(runId)).map(({ kind, detail }) => {
      const { to, control } = detail as { to?: string; control?: string }
      return [kind, control, to].filter((word) => word !== undefined).join(' ')
    })
  }
}
