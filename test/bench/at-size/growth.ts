import { setTimeout as delay } from 'node:timers/promises'
import { Runner } from '../../../src/runner/runner.ts'
import { DEFAULT_RUNNER_SETTINGS } from '../../../src/runner/settings.ts'
import { onBench, publish } from '../cuelight.ts'

const POLL_MS = 5

/**
 * Works off runs that are all due, beside `waiting` others of which half are ahead and half wait for a trigger: the rate
 * of steps per second. No log is old enough to be deleted.
 */
export function drain(
  url: string,
  { runs, steps, waiting = 0 }: { runs: number; steps: number; waiting?: number },
): Promise<number> {
  let calls = 0
  return onBench(
    url,
    () => {
      calls += 1
    },
    async ({ control: { db, changes, clock, zones }, registry }) => {
      const { prisma } = db
      const idle = await publish(db, steps)
      await prisma.$executeRaw`
        INSERT INTO runs (id, definition_id, version_id, source, time_zone, occurrence_key, occurrence_at, scheduled_for,
          grace_until, wake_at, created_at, started_by_kind, started_by_name, status, started_at, current_phase, phase_index)
        SELECT uuidv7(), ${idle.definitionId}::uuid, ${idle.versionId}::uuid, 'MANUAL', 'UTC', n::text, at, at,
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
        FROM runs WHERE definition_id = ${idle.definitionId}::uuid`
      await prisma.$executeRaw`
        INSERT INTO gates (run_id, phase, phase_index, kind, trigger, tally, needed, entered_at)
        SELECT id, 'one', 0, 'ON', 'bench.never', 0, 1, now()
        FROM runs WHERE definition_id = ${idle.definitionId}::uuid AND status = 'RUNNING'`
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
      try {
        const began = performance.now()
        runner.start()
        // Looking costs the database as much as some of the runs; nothing has ended before its last call.
        while (calls < runs * steps) await delay(POLL_MS)
        while ((await left()) !== null) await delay(POLL_MS)
        return (runs * steps * 1000) / (performance.now() - began)
      } finally {
        await runner.stop()
      }
    },
  )
}
