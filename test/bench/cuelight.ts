import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { ControlContext } from '../../src/controls/context.ts'
import { startRun } from '../../src/controls/start.ts'
import { IntlZones } from '../../src/domain/recurrence/intl-zones.ts'
import type { Prisma } from '../../src/generated/prisma/client.ts'
import type { Envelope } from '../../src/modules/module.ts'
import { Registry } from '../../src/modules/registry.ts'
import { systemClock } from '../../src/runner/clock.ts'
import { Runner } from '../../src/runner/runner.ts'
import { DEFAULT_RUNNER_SETTINGS } from '../../src/runner/settings.ts'
import { Changes } from '../../src/store/changes.ts'
import { type Database, openDatabase } from '../../src/store/database.ts'
import { mintId } from '../../src/store/ids.ts'
import { controlContext } from '../support/context.ts'
import { type Effort, watchEffort } from './effort.ts'

export type Bench = { control: ControlContext; registry: Registry; runner: Runner }

/** A runner of this process, not started, on a database; its one action does nothing but be noted. */
export async function onBench<T>(
  url: string,
  perform: (envelope: Envelope) => void,
  use: (bench: Bench) => Promise<T>,
  { through = async (database: Database) => database, settings = DEFAULT_RUNNER_SETTINGS } = {},
): Promise<T> {
  const db = await through(await openDatabase({ url, poolSize: 5, runnerPoolSize: 10 }))
  const changes = new Changes()
  const registry = new Registry()
  registry.register({
    id: 'bench',
    actions: [
      {
        id: 'bench.noop',
        label: 'Nothing',
        version: 1,
        risk: 'notify',
        budgetMs: 10_000,
        params: { type: 'object' },
        perform(envelope: Envelope) {
          perform(envelope)
          return { ok: true }
        },
      },
    ],
  })
  const log = { info: () => {}, warn: console.warn, error: console.error }
  const zones = new IntlZones()
  const runner = new Runner({ db, changes, clock: systemClock, registry, zones, settings, log })
  try {
    return await use({
      control: controlContext({
        db,
        changes,
        clock: systemClock,
        catalog: registry,
        horizonDays: settings.horizonDays,
      }),
      registry,
      runner,
    })
  } finally {
    await runner.stop()
    await db.close()
  }
}

/** Publishes an event of one phase with that many steps, which do nothing but be noted. */
export async function publish(
  { prisma }: Database,
  steps: number,
): Promise<{ definitionId: string; versionId: string }> {
  const [definitionId, versionId, at] = [mintId(), mintId(), new Date()]
  const step = { actionId: 'bench.noop', actionVersion: 1, params: {}, onFailure: 'PAUSE' }
  const phase = { key: 'one', label: 'one', steps: Array.from({ length: steps }, () => step) }
  const spec: Prisma.InputJsonObject = { schedule: { manual: true }, phases: [phase] }
  const common = { timeZone: 'UTC', graceSeconds: 900, parameters: [] }
  await prisma.definition.create({
    data: {
      id: definitionId,
      slug: `bench-${definitionId}`,
      title: 'Bench',
      draft: spec,
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
      publishedByName: 'bench',
    },
  })
  await prisma.definition.update({ where: { id: definitionId }, data: { state: 'READY', currentVersionId: versionId } })
  return { definitionId, versionId }
}

/** Runs that are all due after that many seconds, of steps that do nothing, or of those of another action. */
export async function insertRuns(
  db: Database,
  {
    runs,
    steps,
    afterSeconds = 0,
    action = { id: 'bench.noop', params: {} },
  }: { runs: number; steps: number; afterSeconds?: number; action?: { id: string; params: object } },
): Promise<void> {
  const { definitionId, versionId } = await publish(db, steps)
  await db.prisma.$executeRaw`
    INSERT INTO runs (id, definition_id, version_id, source, time_zone, occurrence_key, occurrence_at, scheduled_for,
      grace_until, wake_at, created_at, started_by_kind, started_by_name)
    SELECT uuidv7(), ${definitionId}::uuid, ${versionId}::uuid, 'MANUAL', 'UTC', n::text,
      now() + n * interval '1 ms', due, due + interval '1 hour', due, now(), 'USER', 'bench'
    FROM generate_series(1, ${runs}) n, (SELECT now() + ${afterSeconds} * interval '1 s' AS due) d`
  await db.prisma.$executeRaw`
    INSERT INTO steps (id, run_id, phase, phase_index, seq, action_id, action_version, params, on_failure, idempotency_key)
    SELECT uuidv7(), r.id, 'one', 0, seq, ${action.id}, 1, ${JSON.stringify(action.params)}::jsonb, 'PAUSE',
      gen_random_uuid()::text
    FROM runs r CROSS JOIN generate_series(0, ${steps - 1}) seq`
}

/**
 * Works off runs that are all due, and answers what a step took. `through`: what the database is reached through instead;
 * `around`: what is begun just before, and ends just after.
 */
export function drainCuelight(
  url: string,
  {
    runs,
    steps,
    through,
    around = (work) => work(),
  }: {
    runs: number
    steps: number
    through?: (db: Database) => Promise<Database>
    around?: (work: () => Promise<Effort>) => Promise<Effort>
  },
): Promise<Effort> {
  let calls = 0
  return onBench(
    url,
    () => {
      calls += 1
    },
    async ({ control: { db }, runner }) => {
      await insertRuns(db, { runs, steps })
      await db.prisma.$executeRawUnsafe('VACUUM ANALYZE')
      await db.prisma.$executeRawUnsafe('CHECKPOINT')
      const effort = await around(async () => {
        const done = watchEffort()
        runner.start()
        // Looking costs the database as much as some of the runs; nothing has ended before its last call.
        while (calls < runs * steps) await delay(5)
        const left = () => db.prisma.run.count({ where: { status: { not: 'COMPLETED' } } })
        while ((await left()) > 0) await delay(5)
        return done(runs * steps)
      })
      // A rate of work that was not done is no rate.
      const lines = await db.prisma.logLine.count()
      if (lines !== runs * (6 + steps)) throw new Error(`The log has ${lines} lines, not ${runs * (6 + steps)}.`)
      return effort
    },
    { through },
  )
}

type Lateness = { p50: number; p99: number }

/** How late starts were, and the commits that were made meanwhile; milliseconds. `early`: how many were. */
export type Starts = Lateness & { early: number; count: number; commit: Lateness }

function latenessOf(milliseconds: number[]): Lateness {
  const sorted = [...milliseconds].sort((a, b) => a - b)
  const at = (share: number) =>
    Number((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(2))
  return { p50: at(0.5), p99: at(0.99) }
}

/**
 * How long after its instant a run's first action is called, in milliseconds, on an idle server; and how long the
 * smallest durable write takes on that machine meanwhile, which no start can do without.
 */
export function measureStarts(url: string, count: number): Promise<Starts> {
  const called = new Map<string, number>()
  const note = ({ runId }: Envelope) => called.set(runId ?? '', performance.timeOrigin + performance.now())
  return onBench(url, note, async ({ control, runner }) => {
    const session = new pg.Client({ connectionString: url })
    await session.connect()
    await session.query('CREATE TABLE commits AS SELECT 0 AS n')
    runner.start()
    const { definitionId } = await publish(control.db, 1)
    const late: number[] = []
    const commits: number[] = []
    for (let index = 0; index < count; index += 1) {
      const scheduledFor = new Date(Date.now() + 40 + (index % 17))
      const started = await startRun(control, { kind: 'USER', name: 'bench' }, { definitionId, scheduledFor })
      if (started.error !== undefined) throw new Error(started.message)
      const id = `run_${started.runId}`
      while (!called.has(id)) await delay(2)
      late.push((called.get(id) ?? 0) - scheduledFor.getTime())
      await delay(25)
      const begun = performance.now()
      await session.query({ name: 'commit', text: 'UPDATE commits SET n = n + 1' })
      commits.push(performance.now() - begun)
      await delay(5)
    }
    await session.end()
    return { ...latenessOf(late), early: late.filter((ms) => ms < 0).length, count, commit: latenessOf(commits) }
  })
}
