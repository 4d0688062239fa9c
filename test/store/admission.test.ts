import { afterEach, expect, test } from 'vitest'
import { hasRoom, spentAfter } from '../../src/domain/budget.ts'
import { type AdmissionRequest, Admissions } from '../../src/store/admission.ts'
import { mintId } from '../../src/store/ids.ts'
import { testDatabase } from '../support/database.ts'

const T0 = Date.parse('2026-03-06T20:00:00.000Z')
const AT = new Date(T0)
const OWNER = 'w#1'

const { db } = await testDatabase()
const { prisma } = db

afterEach(async () => {
  await prisma.resource.deleteMany()
  await prisma.budgetLine.deleteMany()
  await prisma.step.deleteMany()
  await prisma.run.deleteMany()
})

type Caps = Record<string, number | null>

const definition = prisma.definition
  .create({ data: { id: mintId(), slug: 'event', title: 'Event', draft: {}, createdAt: AT, updatedAt: AT } })
  .then(({ id }) =>
    prisma.version.create({
      data: {
        id,
        definitionId: id,
        version: 1,
        spec: {},
        timeZone: 'UTC',
        graceSeconds: 900,
        parameters: [],
        publishedAt: AT,
        publishedByKind: 'USER',
        publishedByName: 'Mira',
      },
    }),
  )

/** A claimed run with so many steps, the first of them in flight. */
async function claimedRun(caps: Caps, steps = 1): Promise<{ runId: string; stepIds: string[] }> {
  const { id: definitionId } = await definition
  const runId = mintId()
  const stepIds = Array.from({ length: steps }, mintId)
  await prisma.run.create({
    data: {
      id: runId,
      definitionId,
      versionId: definitionId,
      source: 'MANUAL',
      timeZone: 'UTC',
      occurrenceKey: runId,
      occurrenceAt: AT,
      scheduledFor: AT,
      graceUntil: AT,
      createdAt: AT,
      startedByKind: 'USER',
      startedByName: 'Mira',
      rehearsal: true,
      status: 'RUNNING',
      claimedBy: OWNER,
      leaseUntil: AT,
      inFlight: stepIds[0] ?? null,
      steps: {
        create: stepIds.map((id, seq) => ({
          id,
          phase: 'one',
          phaseIndex: 0,
          seq,
          actionId: 'test.spawn',
          actionVersion: 1,
          params: {},
          onFailure: 'PAUSE',
          idempotencyKey: id,
          status: 'RUNNING',
          claimNo: 1,
        })),
      },
      budget: { create: Object.entries(caps).map(([dimension, cap]) => ({ dimension, cap })) },
    },
  })
  return { runId, stepIds }
}

const dispatch = (runId: string, inFlight: string) => prisma.run.update({ where: { id: runId }, data: { inFlight } })

const ask = (runId: string, stepId: string, costs: Record<string, number>): AdmissionRequest => ({
  runId,
  owner: OWNER,
  stepId,
  claimNo: 1,
  costs,
  placeholder: null,
  now: T0,
})

const withPlaceholder = (request: AdmissionRequest): AdmissionRequest => ({
  ...request,
  placeholder: { id: mintId(), module: 'test', ref: `step_${request.stepId}` },
})

async function meter(runId: string): Promise<Record<string, number>> {
  const lines = await prisma.budgetLine.findMany({ where: { runId } })
  return Object.fromEntries(lines.map(({ dimension, consumed }) => [dimension, consumed]))
}

const spent = async (stepId: string) => (await prisma.step.findUniqueOrThrow({ where: { id: stepId } })).spent
const admissions = new Admissions(db.hot)

test('a step pays all its dimensions and is marked; a dimension that was not seeded is counted without a cap', async () => {
  const { runId, stepIds } = await claimedRun({ creatures: 10 })
  const [step = ''] = stepIds
  const fence = (await prisma.run.findUniqueOrThrow({ where: { id: runId } })).fence
  expect(await admissions.admitIfClaimed(ask(runId, step, { creatures: 4, gold: 2.5 }))).toEqual({
    kind: 'ADMITTED',
    unresolved: null,
  })
  expect(await meter(runId)).toEqual({ creatures: 4, gold: 2.5 })
  expect(await prisma.budgetLine.findFirst({ where: { runId, dimension: 'gold' } })).toMatchObject({ cap: null })
  expect(await spent(step)).toBe(true)
  expect((await prisma.run.findUniqueOrThrow({ where: { id: runId } })).fence).toBe(fence)
})

test('all dimensions or none: one without room names itself and nothing is spent', async () => {
  const { runId, stepIds } = await claimedRun({ creatures: 10, gold: 3, noise: null }, 2)
  const [first = '', second = ''] = stepIds
  await admissions.admitIfClaimed(ask(runId, first, { gold: 2 }))
  await dispatch(runId, second)
  expect(await admissions.admitIfClaimed(ask(runId, second, { creatures: 1, gold: 2, noise: 1 }))).toEqual({
    kind: 'SHORT',
    dimension: 'gold',
    requested: 2,
    cap: 3,
    consumed: 2,
  })
  expect(await meter(runId)).toEqual({ creatures: 0, gold: 2, noise: 0 })
  expect(await spent(second)).toBe(false)
})

test('a refused step leaves no placeholder, and one of an earlier attempt stands', async () => {
  const { runId, stepIds } = await claimedRun({ creatures: 1 })
  const [step = ''] = stepIds
  const request = ask(runId, step, { creatures: 2 })
  expect((await admissions.admitIfClaimed(withPlaceholder(request))).kind).toBe('SHORT')
  expect(await prisma.resource.count()).toBe(0)
  await admissions.admitIfClaimed(withPlaceholder(ask(runId, step, {})))
  expect((await admissions.admitIfClaimed(withPlaceholder(request))).kind).toBe('SHORT')
  expect(await prisma.resource.count()).toBe(1)
})

test('a placeholder stands once for a step, however often it is asked for, and is counted with what else is unresolved', async () => {
  const { runId, stepIds } = await claimedRun({}, 2)
  const [first = '', second = ''] = stepIds
  for (const kind of ['ACTIVE', 'REVERTED'] as const) {
    await prisma.resource.create({
      data: {
        id: mintId(),
        runId,
        stepId: second,
        module: 'test',
        kind: 'npc',
        ref: kind,
        status: kind,
        createdAt: AT,
      },
    })
  }
  const admitted = { kind: 'ADMITTED', unresolved: 2 }
  const request = withPlaceholder(ask(runId, first, {}))
  expect(await admissions.admitIfClaimed(request)).toEqual(admitted)
  expect(await admissions.admitIfClaimed(withPlaceholder(ask(runId, first, {})))).toEqual(admitted)
  expect(await prisma.resource.findMany({ where: { placeholder: true } })).toEqual([
    expect.objectContaining({
      id: request.placeholder?.id,
      runId,
      stepId: first,
      module: 'test',
      kind: '@step',
      ref: `step_${first}`,
      status: 'ACTIVE',
      createdAt: AT,
    }),
  ])
  expect(await spent(first)).toBe(false)
})

test('a step that paid is let through again without paying, whatever it costs by now', async () => {
  const { runId, stepIds } = await claimedRun({ creatures: 5 })
  const [step = ''] = stepIds
  await admissions.admitIfClaimed(ask(runId, step, { creatures: 5 }))
  await prisma.step.update({ where: { id: step }, data: { claimNo: 2 } })
  const again = { ...ask(runId, step, { creatures: 500 }), claimNo: 2 }
  expect((await admissions.admitIfClaimed(again)).kind).toBe('ADMITTED')
  expect(await meter(runId)).toEqual({ creatures: 5 })
})

test('only the claim in force is let through', async () => {
  const { runId, stepIds } = await claimedRun({ creatures: 5 }, 2)
  const [first = '', second = ''] = stepIds
  const request = withPlaceholder(ask(runId, first, { creatures: 1 }))
  const others = [{ owner: 'w#2' }, { stepId: second }, { claimNo: 0 }, { claimNo: 2 }, { runId: mintId() }]
  for (const other of others) {
    expect(await admissions.admitIfClaimed({ ...request, ...other })).toEqual({ kind: 'LOST' })
  }
  await prisma.run.update({ where: { id: runId }, data: { claimedBy: null, leaseUntil: null } })
  expect(await admissions.admitIfClaimed(request)).toEqual({ kind: 'LOST' })
  expect(await meter(runId)).toEqual({ creatures: 0 })
  expect(await prisma.resource.count()).toBe(0)
})

test('a run that has ended lets nothing through, a paused one does', async () => {
  const { runId, stepIds } = await claimedRun({ creatures: 5 })
  const [step = ''] = stepIds
  const request = withPlaceholder(ask(runId, step, { creatures: 1 }))
  await prisma.run.update({ where: { id: runId }, data: { status: 'CANCELLED', endedAt: AT } })
  expect(await admissions.admitIfClaimed(request)).toEqual({ kind: 'ENDED' })
  expect(await meter(runId)).toEqual({ creatures: 0 })
  expect(await prisma.resource.count()).toBe(0)
  await prisma.run.update({ where: { id: runId }, data: { status: 'PAUSED', endedAt: null } })
  expect((await admissions.admitIfClaimed(request)).kind).toBe('ADMITTED')
})

test('tenths add up as they are written, here and in the domain', async () => {
  const { runId, stepIds } = await claimedRun({ gold: 0.3 }, 3)
  let consumed = 0
  const verdicts: string[] = []
  for (const [index, cost] of [0.1, 0.2, 0.1].entries()) {
    const step = stepIds[index] ?? ''
    await dispatch(runId, step)
    verdicts.push((await admissions.admitIfClaimed(ask(runId, step, { gold: cost }))).kind)
    expect(hasRoom({ consumed, cost, cap: 0.3 })).toBe(verdicts.at(-1) === 'ADMITTED')
    if (verdicts.at(-1) === 'ADMITTED') consumed = spentAfter(consumed, cost)
    expect(await meter(runId)).toEqual({ gold: consumed })
  }
  expect(verdicts).toEqual(['ADMITTED', 'ADMITTED', 'SHORT'])
})

test('a cost that cannot be counted is refused alone', async () => {
  const { runId, stepIds } = await claimedRun({ gold: null })
  const other = await claimedRun({ gold: 3 })
  const huge = 1.5e308
  await prisma.budgetLine.updateMany({ where: { runId }, data: { consumed: huge } })
  const [bad, good] = await Promise.allSettled([
    admissions.admitIfClaimed(ask(runId, stepIds[0] ?? '', { gold: huge })),
    admissions.admitIfClaimed(ask(other.runId, other.stepIds[0] ?? '', { gold: 3 })),
  ])
  expect(bad?.status).toBe('rejected')
  expect(good).toMatchObject({ status: 'fulfilled', value: { kind: 'ADMITTED' } })
})

test('the same asked at once over several connections is paid once and placed once', async () => {
  for (let round = 0; round < 20; round += 1) {
    const { runId, stepIds } = await claimedRun({ creatures: 7, gold: 7 })
    const [step = ''] = stepIds
    const many = Array.from({ length: 8 }, () => new Admissions(round % 2 === 0 ? db.hot : prisma))
    const asked = many.map((each) => each.admitIfClaimed(withPlaceholder(ask(runId, step, { creatures: 7, gold: 4 }))))
    for (const answer of await Promise.all(asked)) expect(answer).toEqual({ kind: 'ADMITTED', unresolved: 1 })
    expect(await meter(runId)).toEqual({ creatures: 7, gold: 4 })
    expect(await prisma.resource.count({ where: { runId } })).toBe(1)
  }
})

test('two runs spending one cap each from many tasks never overspend, and their meters never meet', async () => {
  const caps = { creatures: 10, gold: 20 }
  const runs = await Promise.all([claimedRun(caps, 24), claimedRun(caps, 24)])
  const counts = await Promise.all(
    runs.map(async ({ runId, stepIds }) => {
      const left = [...stepIds]
      const kinds: string[] = []
      // Each task puts its step in flight and asks, while the others do the same: the run's row decides whose turn it is.
      const task = async (admitting: Admissions) => {
        for (let stepId = left.pop(); stepId !== undefined; stepId = left.pop()) {
          let kind = 'LOST'
          while (kind === 'LOST') {
            await dispatch(runId, stepId)
            kind = (await admitting.admitIfClaimed(ask(runId, stepId, { creatures: 1, gold: 1.5 }))).kind
          }
          kinds.push(kind)
        }
      }
      await Promise.all([db.hot, prisma, db.hot].map((client) => task(new Admissions(client))))
      expect(new Set(kinds)).toEqual(new Set(['ADMITTED', 'SHORT']))
      return kinds.filter((kind) => kind === 'ADMITTED').length
    }),
  )
  expect(counts).toEqual([10, 10])
  for (const { runId } of runs) {
    expect(await meter(runId)).toEqual({ creatures: 10, gold: 15 })
    expect(await prisma.step.count({ where: { runId, spent: true } })).toBe(10)
  }
}, 120_000)
