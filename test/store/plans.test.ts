import { beforeAll, describe, expect, test } from 'vitest'
import { type Ledger, ledgerDraftOf } from '../../src/domain/ledger.ts'
import { draftOf } from '../../src/domain/picture.ts'
import { Admissions } from '../../src/store/admission.ts'
import { auditList } from '../../src/store/audit-reads.ts'
import { calendarRuns, contendingRuns, occurrencesMade } from '../../src/store/calendar-reads.ts'
import {
  claimDue,
  claimKeyedStarts,
  dropClaims,
  readBacklog,
  readClaimed,
  readNewlyBlocked,
  readNextInstant,
  renewLeases,
  renewLedgerLeases,
  takeOverLapsed,
} from '../../src/store/claims.ts'
import type { Database, PrismaClient } from '../../src/store/database.ts'
import { feedRuns } from '../../src/store/feed-reads.ts'
import { countScheduled, readGauges } from '../../src/store/gauges.ts'
import { mintId } from '../../src/store/ids.ts'
import { pagesOf } from '../../src/store/keyset.ts'
import { claimLedgers, dropLedgerClaims, LedgerChanges, readLedgers } from '../../src/store/ledger.ts'
import { appendLines, pruneLogs } from '../../src/store/log.ts'
import { readToExpand } from '../../src/store/materialise.ts'
import { readOverdue, readPausedStarts } from '../../src/store/missed.ts'
import { nextRuns, placesMade } from '../../src/store/next-starts.ts'
import { pictureOf } from '../../src/store/pictures.ts'
import { situationsOf } from '../../src/store/situation-reads.ts'
import { readStarts, startIfWaiting } from '../../src/store/starts.ts'
import { Transitions } from '../../src/store/transitions.ts'
import {
  claimKeyIfNew,
  lockRuns,
  logEvaluated,
  pruneEmissions,
  readWaiting,
  tallyIfWaiting,
} from '../../src/store/triggers.ts'
import { readOfOlderZoneData } from '../../src/store/zone-moves.ts'
import { testDatabase } from '../support/database.ts'
import { explaining, planForValues, WALKED_FOR_EACH, WHOLE_INDEX } from './explaining.ts'
import { fillTables } from './full-tables.ts'

const T0 = Date.parse('2026-03-06T20:00:00.000Z')
const RUN = mintId()
const RUNS = 20_000

const { db } = await testDatabase()

const request = { owner: 'w#1', now: T0, leaseUntil: T0 + 30_000, limit: 64 }

const picture = () => {
  const none = {
    steps: [],
    gate: null,
    stalled_since: null,
    phase_entered_at: null,
    hold_until: null,
    started_at: null,
  }
  const row = {
    id: RUN,
    definition_id: RUN,
    version_id: RUN,
    scope: '',
    rehearsal: false,
    params: {},
    concurrency_key: null,
  }
  const actor = { started_by_kind: 'USER', started_by_name: 'Mira' } as const
  const status = { status: 'RUNNING', health: 'OK', cleanup_status: 'NOT_REQUIRED' } as const
  const ended = { ended_at: null, ended_because: null, last_error: null, in_flight: null, wake_at: null }
  return pictureOf({
    ...row,
    ...actor,
    ...status,
    ...none,
    ...ended,
    current_phase: 'one',
    phase_index: 0,
    fence: 1,
    resolved: false,
    unresolved: 0,
  })
}

const bringing = () => {
  const draft = draftOf(picture())
  draft.answered.add(RUN)
  draft.participants.push({ memberKey: 'anna', userId: null, score: 1, joinedAt: null, meta: null })
  draft.resultsAt = T0
  return draft
}

const LEDGER: Ledger = {
  runId: RUN,
  scope: '',
  concurrencyKey: null,
  fence: 1,
  runStatus: 'ENDING',
  phase: 'one',
  cleanupStatus: 'PENDING',
  inFlight: false,
  entries: [],
  rest: { due: false, dueAt: null },
  failed: null,
}

type Asked = [string, (client: PrismaClient) => Promise<unknown>]

const hot: Asked[] = [
  ['claimDue', (client) => claimDue(client, { ...request, dueBy: T0 })],
  ['claimKeyedStarts', (client) => claimKeyedStarts(client, request, { now: () => request.now })],
  ['takeOverLapsed', (client) => takeOverLapsed(client, { ...request, working: [{ runId: RUN, owner: 'w#1' }] })],
  ['readClaimed', (client) => readClaimed(client, [{ runId: RUN, owner: 'w#1' }])],
  ['renewLeases', (client) => renewLeases(client, [{ runId: RUN, owner: 'w#1', until: T0 }])],
  ['dropClaims', (client) => dropClaims(client, 'w', T0)],
  ['readNextInstant', (client) => readNextInstant(client, { now: T0, horizonMs: 14 * 86_400_000, cleaning: [] })],
  ['countScheduled', (client) => countScheduled(client)],
  ['readGauges', (client) => readGauges(client, T0)],
  ['readBacklog', (client) => readBacklog(client, T0)],
  ['readNewlyBlocked', (client) => readNewlyBlocked(client, { now: T0, limit: 100 })],
  ['readOverdue', (client) => readOverdue(client, { now: T0, limit: 100 })],
  ['readPausedStarts', (client) => readPausedStarts(client, { now: T0, limit: 100 })],
  ['readToExpand', (client) => readToExpand(client, { before: T0, limit: 50, except: [] })],
  ['readOfOlderZoneData', (client) => readOfOlderZoneData(client, { zoneData: '2026a', limit: 50, except: [] })],
  [
    'writeIfUnchanged',
    (client) => new Transitions(client).writeIfUnchanged({ draft: draftOf(picture()), owner: 'w#1', leaseUntil: null }),
  ],
  [
    'admitIfClaimed',
    (client) =>
      new Admissions(client).admitIfClaimed({
        runId: RUN,
        owner: 'w#1',
        stepId: RUN,
        claimNo: 1,
        costs: { creatures: 1 },
        placeholder: { id: RUN, module: 'shard', ref: 'step' },
        now: T0,
      }),
  ],
  [
    'writeIfUnchanged of what an answer brought',
    (client) => new Transitions(client).writeIfUnchanged({ draft: bringing(), owner: 'w#1', leaseUntil: null }),
  ],
  ['readStarts', (client) => readStarts(client, { after: T0, until: T0 + 60_000, limit: 64 })],
  [
    'startIfWaiting',
    (client) => startIfWaiting(client, [{ draft: draftOf(picture()), owner: 'w#1', leaseUntil: T0 + 30_000 }], T0),
  ],
  ['claimLedgers', (client) => claimLedgers(client, { ...request, working: [{ runId: RUN, owner: 'w#1' }] })],
  ['readLedgers', (client) => readLedgers(client, [{ runId: RUN, owner: 'w#1', now: T0 }])],
  [
    'writeIfUnchanged of a ledger',
    (client) =>
      new LedgerChanges(client).writeIfUnchanged({
        draft: ledgerDraftOf(LEDGER),
        owner: 'w#1',
        leaseUntil: null,
        now: T0,
      }),
  ],
  ['renewLedgerLeases', (client) => renewLedgerLeases(client, [{ runId: RUN, owner: 'w#1', until: T0 }])],
  ['dropLedgerClaims', (client) => dropLedgerClaims(client, 'w', T0)],
  ['appendLines', (client) => appendLines(client, RUN, [])],
  ['pruneEmissions', (client) => pruneEmissions(client, { now: T0, limit: 100 })],
  ...[true, false].flatMap((steps) =>
    [true, false].map(
      (resources): Asked => [
        `situationsOf, ${steps ? 'with' : 'without'} steps, ${resources ? 'with' : 'without'} resources`,
        (client) => situationsOf({ standings: client }, [RUN], { now: T0, counted: { steps, resources } }),
      ],
    ),
  ),
  ['pruneLogs', (client) => pruneLogs(client, { endedBefore: new Date(T0), now: new Date(T0), lines: 100 })],
]

const emission = {
  trigger: 'shard.slain 7',
  payload: {},
  scope: null,
  rehearsal: false,
  dedupeKey: 'key 7',
  actor: { kind: 'TOKEN', name: 'shard' },
} as const
const gates = [{ runId: RUN, phaseIndex: 0, matched: true }]
const met = [{ runId: RUN, phase: 'one', matched: true, tally: 1, needed: 2, opened: false }]

/** What the API sends often, where the planner is free to choose. */
const warm: [string, (client: PrismaClient) => Promise<unknown>][] = [
  ['claimKeyIfNew', (client) => claimKeyIfNew(client, emission, T0)],
  ['readWaiting', (client) => readWaiting(client, emission)],
  ['readWaiting of a scope', (client) => readWaiting(client, { ...emission, scope: 'Yew' })],
  ['lockRuns', (client) => lockRuns(client, gates)],
  ['tallyIfWaiting', (client) => tallyIfWaiting(client, { emission, gates, now: T0 })],
  ['logEvaluated', (client) => logEvaluated(client, { emission, met, now: T0 })],
]

describe.each(['new tables', `tables of ${RUNS} runs`])('on %s', (size) => {
  beforeAll(async () => {
    if (size.startsWith('tables')) await fillTables(db, { runs: RUNS, at: T0 })
  }, 60_000)

  test.each(hot)('%s scans no table', async (_name, send) => {
    const { client, plans } = explaining(db.hot)
    // What comes back is no row of the statement: what is made of it does not matter here.
    await send(client).catch(() => {})
    expect(plans.length).toBeGreaterThan(0)
    for (const plan of plans) {
      expect(plan).not.toMatch(/Seq Scan on/)
      for (const walk of [WHOLE_INDEX, ...WALKED_FOR_EACH]) expect(plan).not.toMatch(walk)
    }
  })

  test.each(hot.filter(([name]) => /^(startIfWaiting|writeIfUnchanged|admit|renew)/.test(name)))(
    '%s looks up the runs that it is given, and walks no others',
    async (_name, send) => {
      const { client, plans } = explaining(db.hot)
      await send(client).catch(() => {})
      expect(plans.join()).toMatch(/runs_pkey/)
      expect(plans.join()).not.toMatch(/using runs_(?!pkey)/)
    },
  )

  test.each(hot.filter(([name]) => name === 'claimKeyedStarts' || name === 'readNewlyBlocked'))(
    '%s looks among what is due and has a key, and neither at all that is due nor at all that is scheduled',
    async (_name, send) => {
      const { client, plans } = explaining(db.hot)
      await send(client).catch(() => {})
      expect(plans.join()).toMatch(/runs_due_keyed/)
      expect(plans.join()).not.toMatch(/runs_due\b|runs_waiting_for_key|runs_to_miss|runs_upcoming/)
      expect(plans.join()).not.toMatch(/runs_one_holder_per_key(?![^>]*Index Cond: \(concurrency_key =)/)
    },
  )

  test('plans of older zone data are found by their index', async () => {
    const { client, plans } = explaining(db.hot)
    await readOfOlderZoneData(client, { zoneData: '2026a', limit: 50, except: [] }).catch(() => {})
    expect(plans.join()).toMatch(/Index Scan using definitions_by_zone_data[^>]*Index Cond: \(zone_data </s)
  })

  test('what was done to one thing is found in the audit log by it', async () => {
    const { client, plans } = explaining(db.hot)
    const slice = { take: 50, backward: false, after: null, before: null }
    await pagesOf({ ...db, prisma: client }, [''], { list: auditList({ subject: 'def_1' }), slice }).catch(() => {})
    expect(plans.join()).toMatch(/using audit_entries_subject_at_id_idx[^>]*Index Cond: \(subject =/s)
  })
})

const HOUR_MS = 3_600_000
const within = { from: new Date(T0), to: new Date(T0 + HOUR_MS) }
const feed = { ...within, definitionId: null, limit: 2001, latestFirst: false }

/** What calendars ask for. */
const calendars: [string, (db: Database) => Promise<unknown>][] = [
  ['calendarRuns', (db) => calendarRuns(db, { ...within, limit: 5001 })],
  ['calendarRuns of a definition', (db) => calendarRuns(db, { ...within, definitionId: RUN, limit: 5001 })],
  ['calendarRuns of a scope', (db) => calendarRuns(db, { ...within, scope: 'Yew', limit: 5001 })],
  ['contendingRuns', (db) => contendingRuns(db, { ...within, keys: ['key 7'], limit: 20_001 })],
  ['occurrencesMade', (db) => occurrencesMade(db, { ...within, definitionIds: [RUN] })],
  ['feedRuns', (db) => feedRuns(db, feed)],
  ['feedRuns, the latest first', (db) => feedRuns(db, { ...feed, latestFirst: true })],
  ['feedRuns of a definition', (db) => feedRuns(db, { ...feed, definitionId: RUN })],
  [
    'feedRuns of a definition, the latest first',
    (db) => feedRuns(db, { ...feed, definitionId: RUN, latestFirst: true }),
  ],
]

// After the tables were filled above.
test.each(warm)('on them %s scans no table, although the planner may', async (_name, send) => {
  const { client, plans } = explaining(db.prisma, planForValues)
  await send(client).catch(() => {})
  expect(plans.length).toBeGreaterThan(0)
  for (const plan of plans) expect(plan).not.toMatch(/Seq Scan on/)
})

test.each(calendars)('on them %s scans neither runs nor what is theirs', async (_name, send) => {
  const { client, plans } = explaining(db.prisma, planForValues)
  await send({ ...db, prisma: client })
  expect(plans).toHaveLength(1)
  expect(plans[0]).toMatch(/Index Scan (Backward )?(using|on) runs_/)
  expect(plans[0]).toMatch(/Index Cond:[^\n]*(occurrence_at|scheduled_for) </)
  // Of logs as short as these all may be read for sixty runs.
  expect(plans[0]).not.toMatch(/Seq Scan on (runs|steps)/)
})

test('on them what starts next is read from the front, of those that the schedule made and of those by hand', async () => {
  const { client, plans } = explaining(db.prisma, planForValues)
  await nextRuns({ ...db, prisma: client }, { definitionIds: [RUN, mintId()], limit: 8 })
  expect(plans).toHaveLength(1)
  expect(plans[0]).toMatch(/Index Scan using runs_upcoming[^>]*Index Cond: \(definition_id = d\.id\)/)
  expect(plans[0]).toMatch(/Index Scan using runs_by_hand_waiting[^>]*Index Cond: \(definition_id = d\.id\)/)
  // A paused schedule is asked for once, and its runs are not walked.
  expect(plans[0]).toMatch(/One-Time Filter: \(NOT d\.schedule_paused\)/)
  // In the order of the index: whatever waits behind is neither read nor sorted.
  expect(plans[0]?.match(/Presorted Key: [^\n]*scheduled_for/g)).toHaveLength(2)
  expect(plans[0]).not.toMatch(/Seq Scan on runs/)
})

test('on them each planned occurrence is looked up by what its run would be known by', async () => {
  const { client, plans } = explaining(db.prisma, planForValues)
  await placesMade({ ...db, prisma: client }, [{ definitionId: RUN, key: '2026-03-06T20:00', at: T0 }])
  expect(plans).toHaveLength(1)
  expect(plans[0]).toMatch(/using runs_one_per_occurrence_key/)
  expect(plans[0]).toMatch(/using runs_one_per_instant/)
  expect(plans[0]).not.toMatch(/Seq Scan on runs/)
})
