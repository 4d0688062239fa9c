import pg from 'pg'
import { beforeAll, expect, test } from 'vitest'
import type { ControlContext } from '../../src/controls/context.ts'
import {
  archiveDefinition,
  createDefinition,
  publishDefinition,
  updateDefinition,
} from '../../src/controls/definitions.ts'
import { startRun } from '../../src/controls/start.ts'
import { planUpcoming } from '../../src/controls/upcoming.ts'
import { formatId } from '../../src/domain/ids.ts'
import type { Publishable } from '../../src/domain/spec.ts'
import { Registry } from '../../src/modules/registry.ts'
import { Changes } from '../../src/store/changes.ts'
import { publishIfUnchanged, readDefinition } from '../../src/store/definitions.ts'
import { mintId } from '../../src/store/ids.ts'
import { FakeClock } from '../../src/testing/fake-clock.ts'
import { controlContext } from '../support/context.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'

const T0 = Date.parse('2026-03-06T20:00:00.000Z')
const MIRA = { kind: 'USER', name: 'Mira' } as const
const SPEC = { schedule: { manual: true }, phases: [{ key: 'main', steps: [] }] }
let database: TestDatabase
let ctx: ControlContext

beforeAll(async () => {
  database = await testDatabase()
  ctx = controlContext({
    db: database.db,
    changes: new Changes(),
    clock: new FakeClock(T0),
    catalog: new Registry(),
  })
})

async function create(slug: string): Promise<string> {
  const created = await createDefinition(ctx, MIRA, { slug, title: 'Event', spec: SPEC })
  if (created.error !== undefined) throw new Error(created.message)
  return created.definitionId
}

test('a definition that was changed or published since it was read is not published from that reading', async () => {
  const { prisma } = ctx.db
  const id = await create('stale')
  const content: Publishable = {
    spec: { schedule: { manual: true }, phases: [{ key: 'main', label: 'main', steps: [] }] },
    timeZone: 'UTC',
    graceSeconds: 900,
    concurrencyKey: null,
    parameters: [],
  }
  const publishFrom = async (read: Awaited<ReturnType<typeof readDefinition>>) => {
    if (read === null) throw new Error('the definition is gone')
    const audit = { at: T0, actor: MIRA, action: 'definition.publish', subject: formatId('Definition', id), detail: {} }
    const report = { passed: true, steps: [], issues: [] }
    const versionId = mintId()
    const version = { ...content, id: versionId, version: 1 }
    const { plan, materialisedUntil } = await planUpcoming(ctx, MIRA, {
      definition: read,
      version,
      verified: true,
      now: T0,
    })
    const publication = { read, id: versionId, version: 1, content, report, upcoming: plan, materialisedUntil }
    return publishIfUnchanged(prisma, { ...publication, actor: MIRA, audit })
  }
  const unpublished = await readDefinition(prisma, id)
  await updateDefinition(ctx, MIRA, { id, graceSeconds: 5 })
  expect(await publishFrom(unpublished)).toBe(null)
  const changed = await readDefinition(prisma, id)
  await publishDefinition(ctx, MIRA, { id })
  expect(await publishFrom(changed)).toBe(null)
  expect(await prisma.version.count({ where: { definitionId: id } })).toBe(1)
  expect(await prisma.auditEntry.count({ where: { action: 'definition.publish' } })).toBe(1)
})

test('archiving waits for a run that is being made, and then sees it', async () => {
  const definitionId = await create('race')
  await publishDefinition(ctx, MIRA, { id: definitionId })
  const started = await startRun(ctx, MIRA, { definitionId })
  if (started.error !== undefined) throw new Error(started.message)
  const ended = { status: 'CANCELLED', endedAt: new Date(T0) } as const
  await ctx.db.prisma.run.update({ where: { id: started.runId }, data: ended })

  const other = new pg.Client({ connectionString: database.url })
  await other.connect()
  try {
    await other.query('BEGIN')
    await other.query('SELECT 1 FROM definitions WHERE id = $1 FOR SHARE', [definitionId])
    await other.query("UPDATE runs SET status = 'SCHEDULED', ended_at = NULL WHERE id = $1", [started.runId])
    const archiving = archiveDefinition(ctx, MIRA, { id: definitionId })
    await someoneWaitsForLock()
    await other.query('COMMIT')
    expect(await archiving).toMatchObject({ error: 'CONFLICT', message: expect.stringContaining('1 run of it') })
  } finally {
    await other.end()
  }
})

/** Resolves once a session of the database waits for a lock. */
async function someoneWaitsForLock(): Promise<void> {
  for (;;) {
    const waiting = await ctx.db.prisma.$queryRaw<unknown[]>`
      SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
    if (waiting.length > 0) return
  }
}
