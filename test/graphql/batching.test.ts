import { PrismaPg } from '@prisma/adapter-pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formatId } from '../../src/domain/ids.ts'
import { PrismaClient } from '../../src/generated/prisma/client.ts'
import { testDatabase } from '../support/database.ts'
import { Client, NOW } from './client.ts'
import { appendLines, insertEvent, insertRun, insertStep, parkedSince } from './fixtures.ts'

let client: Client
let statements = 0
let last: string[] = []
let counted: PrismaClient<'query'>
beforeAll(async () => {
  const { db, url } = await testDatabase()
  counted = new PrismaClient({
    adapter: new PrismaPg({ connectionString: url, options: '-c TimeZone=UTC' }),
    log: [{ emit: 'event', level: 'query' }],
  })
  counted.$on('query', ({ query }) => {
    statements++
    last.push(query)
  })
  afterAll(() => counted.$disconnect())
  client = new Client({ ...db, prisma: counted, standings: counted })
})

/** How many statements an operation takes. */
async function cost(source: string, variables = {}): Promise<number> {
  statements = 0
  await client.query(source, variables)
  return statements
}

const DASHBOARD = `{
  definitions(first: 25) {
    totalCount
    edges { node {
      slug draft { phases { key } } draftIssues { path } versionVerified
      currentVersion { version publishedBy { name } spec { phases { key } } }
      versions(first: 2) { totalCount edges { node { version definition { id } } } }
      runs(first: 2) { totalCount edges { node {
        id status version { version } definition { title } waitingCues stepCounts { status count }
        waitingOn { kind description } allowedControls participantCount unresolvedResources
        steps { seq allowedControls cue { instruction run { id } } } cues { id }
        gates { description stalled } budget { dimension } resources { ref step { seq } } participants { memberKey }
        log(first: 3) { totalCount edges { node { line } } }
      } } }
    } }
  }
  cues { instruction run { definition { slug } } }
}`

async function addEvents(count: number) {
  const { db } = client.control
  for (let index = 0; index < count; index++) {
    const event = await insertEvent(db)
    for (const offset of [0, 1, 2]) {
      const at = new Date(NOW.getTime() + offset * 1000)
      const runId = await insertRun(db, event, { at, status: 'RUNNING', currentPhase: 'main', phaseIndex: 0 })
      await insertStep(db, runId, parkedSince(NOW))
      await insertStep(db, runId, { seq: 1, status: 'FAILED', claimNo: 1, startedAt: NOW })
      await db.prisma.gate.create({
        data: { runId, phase: 'main', phaseIndex: 0, kind: 'ON', trigger: 'a.b', needed: 1, tally: 0, enteredAt: NOW },
      })
      await appendLines(db, runId, ['one', 'two'])
    }
  }
}

test('a dashboard takes as many statements for twenty events as for two', async () => {
  await addEvents(2)
  const forTwo = await cost(DASHBOARD)
  await addEvents(18)
  const forTwenty = await cost(DASHBOARD)
  expect(forTwenty).toBe(forTwo)
  expect(forTwo).toBeLessThan(50)
})

/** Events with a run that waits, and with a schedule that goes on where that ends. */
async function addScheduled(count: number) {
  const { db } = client.control
  const recurring = { start: '2026-03-06T12:00', rule: 'FREQ=DAILY', exclude: [], include: [] }
  for (let index = 0; index < count; index++) {
    const event = await insertEvent(db, { materialisedUntil: NOW })
    await insertRun(db, event, { at: new Date(NOW.getTime() + 60_000) })
    await db.prisma.version.update({
      where: { id: event.versionId },
      data: { verifiedAt: NOW, spec: { schedule: { recurring }, phases: [] } },
    })
  }
}

test('what starts next takes as many statements for twenty events as for two', async () => {
  const next = `{ definitions(first: 100) { edges { node {
    one: nextStarts { at run { status } } some: nextStarts(first: 4) { at local run { status } }
  } } } }`
  // Timetables are read once, and kept.
  const costNow = async () => {
    await client.query(next)
    return cost(next)
  }
  await addScheduled(2)
  const forTwo = await costNow()
  await addScheduled(18)
  const forTwenty = await costNow()
  expect(forTwenty).toBe(forTwo)
  const starts = (await client.query(next)).at('definitions', 'edges', 'node', 'some') as { run: object | null }[][]
  const made = starts.filter((some) => some.length === 4).map((some) => some.map(({ run }) => run !== null))
  expect(made).toEqual(Array.from({ length: 20 }, () => [true, false, false, false]))
})

test('of runs in a list, on the calendar and behind a step the columns are read that are asked for', async () => {
  const window = `from: "${NOW.toISOString()}", to: "${new Date(NOW.getTime() + 60_000).toISOString()}"`
  for (const source of [
    '{ runs(first: 5) { edges { node { id status } } } }',
    `{ calendar(${window}) { run { id status } } }`,
    '{ cues { run { id status } } }',
  ]) {
    last = []
    await client.query(source)
    const ofRuns = last.filter((text) => /"runs"."status"/.test(text))
    expect(ofRuns.length).toBeGreaterThan(0)
    for (const text of ofRuns) expect(text).not.toMatch(/"runs"."(params|request|last_line)"/)
  }
})

test('many nodes of one type are one statement, relations included once', async () => {
  const runs = await client.control.db.prisma.run.findMany({ select: { id: true } })
  const query = 'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Run { status version { version } } } }'
  const ids = runs.map(({ id }) => formatId('Run', id))
  expect(await cost(query, { ids })).toBe(await cost(query, { ids: ids.slice(0, 1) }))
})

test('the same field under two aliases with different arguments is answered for each', async () => {
  const data = await client.query(`{
    definitions(first: 1) { edges { node { newest: runs(first: 1) { edges { node { occurrenceAt } } } oldest: runs(last: 1) { edges { node { occurrenceAt } } } } } }
  }`)
  const node = data.at('definitions', 'edges', 0, 'node')
  expect(node).toEqual({
    newest: { edges: [{ node: { occurrenceAt: new Date(NOW.getTime() + 2000).toISOString() } }] },
    oldest: { edges: [{ node: { occurrenceAt: NOW.toISOString() } }] },
  })
})

test('a calendar answers of each run and event what is asked of it alone, under every alias', async () => {
  const parts = {
    plan: 'id waitingOn { kind } version { version definition { slug } }',
    event: 'status definition { title currentVersion { version } }',
  }
  const window = `from: "${NOW.toISOString()}", to: "${new Date(NOW.getTime() + 60_000).toISOString()}"`
  const calendar = await client.query(`{ calendar(${window}) {
    plan: run { ${parts.plan} } event: run { ${parts.event} }
    definition { id title currentVersion { version } }
  } }`)
  type Entry = { plan: { id: string }; event: object; definition: { id: string } }
  const entries = calendar.at('calendar') as Entry[]
  expect(entries.length).toBeGreaterThan(5)
  for (const { plan, event, definition } of entries) {
    const alone = await client.query(
      `query ($run: ID!, $definition: ID!) { plan: run(id: $run) { ${parts.plan} } event: run(id: $run) { ${parts.event} }
        definition(id: $definition) { id title currentVersion { version } } }`,
      { run: plan.id, definition: definition.id },
    )
    for (const [name, shown] of Object.entries({ plan, event, definition })) expect(alone.at(name)).toEqual(shown)
  }
})
