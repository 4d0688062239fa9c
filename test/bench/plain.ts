import { openDatabase } from '../../src/store/database.ts'
import { mintId } from '../../src/store/ids.ts'
import { type Effort, watchEffort } from './effort.ts'

/**
 * The same work as one would first write it: a run at a time, each claim, result and log line a statement of its own
 * through Prisma's models, on the same tables.
 */
export async function drainPlain(url: string, runs: number, steps: number): Promise<Effort> {
  const db = await openDatabase({ url, poolSize: 5, runnerPoolSize: 1 })
  const { prisma } = db
  const at = new Date()
  const [definitionId, versionId] = [mintId(), mintId()]
  const common = { timeZone: 'UTC', graceSeconds: 900, parameters: [] }
  await prisma.definition.create({
    data: { id: definitionId, slug: 'plain', title: 'Plain', draft: {}, createdAt: at, updatedAt: at },
  })
  await prisma.version.create({
    data: {
      id: versionId,
      definitionId,
      version: 1,
      spec: {},
      ...common,
      publishedAt: at,
      publishedByKind: 'USER',
      publishedByName: 'bench',
    },
  })
  for (let index = 0; index < runs; index += 1) {
    const id = mintId()
    const due = new Date(at.getTime() + index)
    const instants = { occurrenceAt: due, scheduledFor: at, graceUntil: due, wakeAt: at, createdAt: at }
    await prisma.run.create({
      data: {
        id,
        definitionId,
        versionId,
        source: 'MANUAL',
        timeZone: 'UTC',
        occurrenceKey: id,
        ...instants,
        startedByKind: 'USER',
        startedByName: 'bench',
      },
    })
    await prisma.step.createMany({
      data: Array.from({ length: steps }, (_, seq) => ({
        id: mintId(),
        runId: id,
        phase: 'one',
        phaseIndex: 0,
        seq,
        actionId: 'bench.noop',
        actionVersion: 1,
        params: {},
        onFailure: 'PAUSE' as const,
        idempotencyKey: id,
      })),
    })
  }
  const done = watchEffort()
  for (const { id } of await prisma.run.findMany({ where: { status: 'SCHEDULED' }, orderBy: { wakeAt: 'asc' } })) {
    let line = 0
    const log = (kind: string) =>
      prisma.logLine.create({
        data: {
          runId: id,
          line: ++line,
          at: new Date(),
          kind,
          actorKind: 'SYSTEM',
          actorName: 'bench',
          detail: {},
          text: kind,
        },
      })
    const lease = { claimedBy: 'plain', leaseUntil: new Date(Date.now() + 30_000) }
    await prisma.run.updateMany({ where: { id, status: 'SCHEDULED' }, data: { status: 'RUNNING', ...lease } })
    await log('run.status')
    for (const step of await prisma.step.findMany({ where: { runId: id }, orderBy: { seq: 'asc' } })) {
      const startedAt = new Date()
      await prisma.step.updateMany({
        where: { id: step.id, status: 'PENDING' },
        data: { status: 'RUNNING', attempts: { increment: 1 }, startedAt },
      })
      await prisma.run.findUnique({ where: { id }, select: { status: true } })
      await prisma.step.updateMany({
        where: { id: step.id, status: 'RUNNING' },
        data: { status: 'DONE', finishedAt: new Date() },
      })
      await log('step.status')
    }
    const ended = { claimedBy: null, leaseUntil: null, endedAt: new Date(), wakeAt: null }
    await prisma.run.updateMany({ where: { id, status: 'RUNNING' }, data: { status: 'COMPLETED', ...ended } })
    await log('run.status')
  }
  const effort = done(runs * steps)
  await db.close()
  return effort
}
