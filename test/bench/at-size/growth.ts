import { setTimeout as delay } from 'node:timers/promises'
import { Runner } from '../../../src/runner/runner.ts'
import { DEFAULT_RUNNER_SETTINGS } from '../../../src/runner/settings.ts'
import { migrate } from '../../../src/store/migrate.ts'
import { onBench, publish } from '../cuelight.ts'
import { median } from '../middle.ts'

const POLL_MS = 5

/** Runs that wait while others are worked off: half of them lie ahead, and half are under way and wait for a trigger. */
function insertWaiting(url: string, waiting: number): Promise<void> {
  return onBench(
    url,
    () => {},
    async ({ control: { db } }) => {
      const { prisma } = db
      const { definitionId, versionId } = await publish(db, 1)
      await prisma.$executeRaw`
      INSERT INTO runs (id, definition_id, version_id, source, time_zone, occurrence_key, occurrence_at, scheduled_for,
        grace_until, wake_at, created_at, started_by_kind, started_by_name, status, started_at, current_phase, phase_index)
      SELECT uuidv7(), ${definitionId}::uuid, ${versionId}::uuid, 'MANUAL', 'UTC', n::text, at, at,
        at + interval '1 hour', CASE WHEN ahead THEN at END, now(), 'USER', 'bench',
        CASE WHEN ahead THEN 'SCHEDULED' ELSE 'RUNNING' END::run_status, CASE WHEN NOT ahead THEN now() END,
        CASE WHEN NOT ahead THEN 'one' END, CASE WHEN NOT ahead THEN 0 END
      FROM generate_series(1, ${waiting}::int) n,
        LATERAL (SELECT n % 2 = 0 AS ahead, now() + interval '1 day' + n * interval '10 s' AS at) x`
      await prisma.$executeRaw`
      INSERT INTO steps (id, run_id, phase, phase_index, seq, action_id, action_version, params, on_failure,
        idempotency_key, status)
      SELECT uuidv7(), id, 'one', 0, 0, 'bench.noop', 1, '{}', 'PAUSE', id::text,
        CASE status WHEN 'RUNNING' THEN 'DONE' ELSE 'PENDING' END::step_status
      FROM runs WHERE definition_id = ${definitionId}::uuid`
      await prisma.$executeRaw`
      INSERT INTO gates (run_id, phase, phase_index, kind, trigger, tally, needed, entered_at)
      SELECT id, 'one', 0, 'ON', 'bench.never', 0, 1, now()
      FROM runs WHERE definition_id = ${definitionId}::uuid AND status = 'RUNNING'`
      await prisma.$executeRawUnsafe('VACUUM (ANALYZE) runs, steps, gates')
    },
  )
}

/**
 * Works off runs that are all due: the rate of steps per second. No log is old enough to be deleted. `beside` is begun
 * with them, and told when they are over.
 */
export function drain(
  url: string,
  { runs, steps, beside }: { runs: number; steps: number; beside?: (over: Promise<unknown>) => void },
): Promise<number> {
  let calls = 0
  return onBench(
    url,
    () => {
      calls += 1
    },
    async ({ control: { db, changes, clock, zones }, registry }) => {
      const { prisma } = db
      const { definitionId, versionId } = await publish(db, steps)
      await prisma.$executeRaw`
        INSERT INTO runs (id, definition_id, version_id, source, time_zone, occurrence_key, occurrence_at, scheduled_for,
          grace_until, wake_at, created_at, started_by_kind, started_by_name)
        SELECT uuidv7(), ${definitionId}::uuid, ${versionId}::uuid, 'MANUAL', 'UTC', n::text,
          now() + n * interval '1 ms', now(), now() + interval '1 hour', now(), now(), 'USER', 'bench'
        FROM generate_series(1, ${runs}::int) n`
      await prisma.$executeRaw`
        INSERT INTO steps (id, run_id, phase, phase_index, seq, action_id, action_version, params, on_failure, idempotency_key)
        SELECT uuidv7(), r.id, 'one', 0, seq, 'bench.noop', 1, '{}', 'PAUSE', gen_random_uuid()::text
        FROM runs r CROSS JOIN generate_series(0, ${steps - 1}::int) seq WHERE r.definition_id = ${definitionId}::uuid`
      await prisma.$executeRawUnsafe('ANALYZE runs, steps, gates')
      await prisma.$executeRawUnsafe('CHECKPOINT')
      const settings = { ...DEFAULT_RUNNER_SETTINGS, logRetentionDays: 36_500 }
      const log = { info: () => {}, warn: console.warn, error: console.error }
      const runner = new Runner({ db, changes, clock, registry, zones, settings, log })
      const left = () =>
        prisma.run.findFirst({ where: { definitionId, status: { not: 'COMPLETED' } }, select: { id: true } })
      const workOff = async () => {
        const began = performance.now()
        runner.start()
        // Looking costs the database as much as some of the runs; nothing has ended before its last call.
        while (calls < runs * steps) await delay(POLL_MS)
        while ((await left()) !== null) await delay(POLL_MS)
        return (runs * steps * 1000) / (performance.now() - began)
      }
      try {
        const rate = workOff()
        beside?.(rate)
        return await rate
      } finally {
        await runner.stop()
      }
    },
  )
}

/** Steps per second beside so many waiting runs: the median of the rounds, and what share of the first size's it was in each. */
export type Growth = { waiting: number; stepsPerSecond: number; rounds: number[]; share: number }

type OnFresh = <T>(measure: (url: string) => Promise<T>) => Promise<T>

/**
 * How the rate of steps goes with how many runs wait: in turn on a database for each size, forth and back, so that what
 * else goes on falls on all alike. The first round, in which code is compiled, is left out.
 */
export async function measureGrowth(
  onFresh: OnFresh,
  { sizes, rounds, runs }: { sizes: readonly number[]; rounds: number; runs: number },
): Promise<Growth[]> {
  const onEach = async (urls: string[]): Promise<Growth[]> => {
    const next = sizes[urls.length]
    if (next !== undefined)
      return onFresh(async (url) => {
        await migrate(url)
        await insertWaiting(url, next)
        return onEach([...urls, url])
      })
    const rates: number[][] = sizes.map(() => [])
    for (let round = 0; round <= rounds; round += 1) {
      const turn = [...urls.entries()]
      if (round % 2 === 1) turn.reverse()
      for (const [index, url] of turn) {
        const rate = Math.round(await drain(url, { runs, steps: 5 }))
        console.log(
          `${round}/${rounds}  ${sizes[index]} runs waiting: ${rate} steps/s${round === 0 ? ', not counted' : ''}`,
        )
        if (round > 0) rates[index]?.push(rate)
      }
    }
    return sizes.map((waiting, index) => {
      const each = rates[index] ?? []
      const shares = each.map((rate, round) => rate / (rates[0]?.[round] ?? Number.NaN))
      return {
        waiting,
        stepsPerSecond: Math.round(median(each)),
        rounds: each,
        share: Number(median(shares).toFixed(3)),
      }
    })
  }
  return onEach([])
}
