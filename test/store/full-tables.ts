import type { Instant } from '../../src/domain/picture.ts'
import type { Database } from '../../src/store/database.ts'
import { mintId } from '../../src/store/ids.ts'

/** Runs of one event, half of them over, with a row or more in every table that their statements read. */
export async function fillTables(db: Database, { runs, at: begin }: { runs: number; at: Instant }): Promise<void> {
  const id = mintId()
  const at = new Date(begin)
  const common = { timeZone: 'UTC', graceSeconds: 900, parameters: [] }
  await db.prisma.definition.create({
    data: { id, slug: 'full', title: 'Full', draft: {}, createdAt: at, updatedAt: at },
  })
  await db.prisma.version.create({
    data: {
      id,
      definitionId: id,
      version: 1,
      spec: {},
      ...common,
      publishedAt: at,
      publishedByKind: 'USER',
      publishedByName: 'Mira',
    },
  })
  await db.prisma.$executeRaw`
    INSERT INTO runs (id, definition_id, version_id, source, time_zone, occurrence_key, occurrence_at, scheduled_for,
      grace_until, wake_at, created_at, started_by_kind, started_by_name, concurrency_key, status, ended_at)
    SELECT gen_random_uuid(), ${id}::uuid, ${id}::uuid, 'MANUAL', 'UTC', n::text, ${at}::timestamptz + n * interval '1 min',
      ${at}::timestamptz + n * interval '1 min', ${at}::timestamptz + n * interval '1 day', 
      CASE WHEN n % 2 = 0 THEN ${at}::timestamptz + n * interval '1 min' END, ${at}::timestamptz, 'USER', 'Mira', 'key ' || n,
      CASE WHEN n % 2 = 0 THEN 'SCHEDULED'::run_status ELSE 'COMPLETED' END, CASE WHEN n % 2 = 1 THEN ${at}::timestamptz END
    FROM generate_series(1, ${runs}) n`
  await db.prisma.$executeRaw`
    INSERT INTO steps (id, run_id, phase, phase_index, seq, action_id, action_version, params, on_failure, idempotency_key)
    SELECT gen_random_uuid(), id, 'one', 0, 0, 'core.log', 1, '{}', 'SKIP', '' FROM runs`
  await db.prisma.$executeRaw`
    INSERT INTO gates (run_id, phase, phase_index, kind, trigger, tally, needed, entered_at)
    SELECT id, 'one', 0, 'ON', 'shard.slain ' || (row_number() OVER () % 100), 0, 2, ${at}::timestamptz FROM runs`
  await db.prisma.$executeRaw`
    INSERT INTO trigger_emissions (trigger, dedupe_key, emitted_at, result)
    SELECT 'shard.slain ' || n % 100, 'key ' || n, ${at}::timestamptz + n * interval '1 s', '{}'
    FROM generate_series(1, ${runs}) n`
  await db.prisma.$executeRaw`
    INSERT INTO resources (id, run_id, step_id, module, kind, ref, status, created_at)
    SELECT gen_random_uuid(), run_id, id, 'shard', 'spawn', 'sp', 'REVERTED', ${at}::timestamptz FROM steps`
  await db.prisma.$executeRaw`UPDATE runs SET ledger_at = scheduled_for WHERE occurrence_key::int % 20 = 0`
  await db.prisma.$executeRaw`
    INSERT INTO run_log (run_id, line, at, kind, actor_kind, actor_name, detail, text)
    SELECT id, 1, ${at}::timestamptz, 'run.created', 'USER', 'Mira', '{}', '' FROM runs`
  await db.prisma.$executeRaw`
    INSERT INTO participants (run_id, member_key, score) SELECT id, 'anna', 1 FROM runs`
  await db.prisma.$executeRaw`
    INSERT INTO resources (id, run_id, step_id, module, kind, ref, placeholder, created_at)
    SELECT gen_random_uuid(), run_id, id, 'shard', '@step', '', true, ${at}::timestamptz FROM steps`
  await db.prisma.$executeRaw`ANALYZE runs, steps, resources, run_log`
}
