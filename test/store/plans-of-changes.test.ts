import { beforeAll, describe, expect, test } from 'vitest'
import { runBlocked, runBudget, runStatus } from '../../src/domain/log.ts'
import type { UpcomingChange } from '../../src/domain/upcoming.ts'
import { Prisma, type PrismaClient } from '../../src/generated/prisma/client.ts'
import { Budgets } from '../../src/store/budget.ts'
import {
  readAbandonment,
  readControlsOfStep,
  readEndOfHold,
  readLastOfCleanup,
  readOpening,
  readRetryOf,
  readStatusChanges,
} from '../../src/store/controls-made.ts'
import { archiveIfIdle } from '../../src/store/definitions.ts'
import { mintId } from '../../src/store/ids.ts'
import { abandonResourceIfFailed, readKeyHolder, retryCleanupIfKeyIsFree } from '../../src/store/ledger-controls.ts'
import { expandIfUnchanged, type ToExpand } from '../../src/store/materialise.ts'
import { missIfWaiting } from '../../src/store/missed.ts'
import {
  cancelRunIfLive,
  endHoldIfHeld,
  forceGateIfClosed,
  pauseRunIfActive,
  readRunForControl,
  rescheduleRunIfScheduled,
  resumeRunIfPaused,
} from '../../src/store/run-controls.ts'
import { noteBlockedIfNew, readRunOfOccurrence, readRunOfRequest } from '../../src/store/runs.ts'
import {
  claimCueIfStillHeldBy,
  confirmCueIfParked,
  readStepForControl,
  retryStepIfFurthest,
  skipStepIfOpen,
} from '../../src/store/step-controls.ts'
import { changeWithUpcoming, readUpcoming, UNCHANGED } from '../../src/store/upcoming.ts'
import { testDatabase } from '../support/database.ts'
import { explaining, WALKED_FOR_EACH, WHOLE_INDEX } from './explaining.ts'
import { fillTables } from './full-tables.ts'

const T0 = Date.parse('2026-03-06T20:00:00.000Z')
const RUN = mintId()
const RUNS = 20_000

const { db } = await testDatabase()

const control = {
  runId: RUN,
  now: T0,
  from: 'FAILED',
  line: runStatus({ at: T0 }, { from: 'FAILED', to: 'FAILED' }),
} as const
const ofStep = { ...control, stepId: RUN } as const

/** What people do to a run. */
const controls: [string, (client: PrismaClient) => Promise<unknown>][] = [
  ['readRunForControl', (client) => readRunForControl(client, RUN, T0)],
  ['pauseRunIfActive', (client) => pauseRunIfActive(client, control)],
  ['resumeRunIfPaused', (client) => resumeRunIfPaused(client, { ...control, to: 'RUNNING' })],
  ['cancelRunIfLive', (client) => cancelRunIfLive(client, { ...control, because: 'Mira cancelled it' })],
  [
    'rescheduleRunIfScheduled',
    (client) => rescheduleRunIfScheduled(client, { ...control, scheduledFor: T0, graceUntil: T0 }),
  ],
  ['endHoldIfHeld', (client) => endHoldIfHeld(client, control)],
  ['forceGateIfClosed', (client) => forceGateIfClosed(client, { ...control, phase: 'one', reason: 'It is late' })],
  ['readStepForControl', (client) => readStepForControl(client, RUN)],
  ['readStatusChanges', (client) => readStatusChanges(client, RUN)],
  ['readControlsOfStep', (client) => readControlsOfStep(client, { runId: RUN, stepId: RUN })],
  ['readEndOfHold', (client) => readEndOfHold(client, RUN)],
  ['readLastOfCleanup', (client) => readLastOfCleanup(client, RUN)],
  ['readAbandonment', (client) => readAbandonment(client, { runId: RUN, resourceId: 'res_1' })],
  ['readRetryOf', (client) => readRetryOf(client, { runId: RUN, resourceId: 'res_1' })],
  ['readOpening', (client) => readOpening(client, { runId: RUN, phase: 'one', now: T0 })],
  ['claimCueIfStillHeldBy', (client) => claimCueIfStillHeldBy(client, { ...ofStep, seen: null })],
  ['confirmCueIfParked', (client) => confirmCueIfParked(client, { ...ofStep, note: null })],
  ['skipStepIfOpen', (client) => skipStepIfOpen(client, { ...ofStep, reason: 'No time' })],
  ['retryStepIfFurthest', (client) => retryStepIfFurthest(client, ofStep)],
  ['readKeyHolder', (client) => readKeyHolder(client, RUN)],
  ['retryCleanupIfKeyIsFree', (client) => retryCleanupIfKeyIsFree(client, control)],
  ['abandonResourceIfFailed', (client) => abandonResourceIfFailed(client, { ...control, resourceId: RUN })],
  ['readRunOfRequest', (client) => readRunOfRequest(client, { definitionId: RUN, requestId: 'one' })],
  [
    'readRunOfOccurrence',
    (client) =>
      readRunOfOccurrence(client, {
        definitionId: RUN,
        scope: '',
        rehearsal: false,
        occurrenceKey: '2026-03-06T20:00',
        occurrenceAt: T0,
      }),
  ],
]

const holder = { concurrencyKey: 'key 7', heldBy: RUN, holderStatus: 'RUNNING' } as const

const caps = [{ dimension: 'creatures', cap: 4, from: 'shard.spawn' }]
const budget = { caps, line: runBudget({ at: T0 }, caps) }
const timetable = { versionId: RUN, version: 2, timeZone: 'UTC', graceSeconds: 900, concurrencyKey: null, params: {} }

const read: ToExpand = {
  definitionId: RUN,
  version: {
    id: RUN,
    version: 2,
    schedule: {},
    timeZone: 'UTC',
    graceSeconds: 900,
    concurrencyKey: null,
    parameters: [],
    phase: {},
    actionIds: [],
    verifiedAt: new Date(T0),
  },
  resumedAt: null,
  materialisedUntil: new Date(T0),
}
const occurrence = {
  id: RUN,
  occurrence: { key: '2026-03-06T20:00', local: '2026-03-06T20:00', at: T0 },
  instants: { occurrenceAt: T0, scheduledFor: T0, graceUntil: T0 },
  line: control.line,
}

/** What changes many runs, or one from beside the hot path. */
const changes: [string, (client: PrismaClient) => Promise<unknown>][] = [
  ['missIfWaiting', (client) => missIfWaiting(client, { runs: [{ runId: RUN, reason: 'NOT_RUNNING' }], now: T0 })],
  [
    'renewIfStarting',
    (client) => new Budgets(client).renewIfStarting({ runId: RUN, owner: 'w#1', budget: caps, line: budget.line }),
  ],
  ['settings', (client) => new Budgets(client).settings(['shard.spawn'])],
  [
    'expandIfUnchanged',
    (client) =>
      expandIfUnchanged(client, [{ read, timetable, steps: [], budget, occurrences: [occurrence], until: null }], {
        zoneData: '2026a',
        now: T0,
      }),
  ],
  ['readUpcoming', (client) => readUpcoming(client, { definitionId: RUN, now: T0 })],
  [
    'noteBlockedIfNew',
    (client) =>
      noteBlockedIfNew(client, {
        runId: RUN,
        heldBy: RUN,
        now: T0,
        because: 'it is held',
        line: runBlocked({ at: T0 }, holder),
      }),
  ],
  [
    'archiveIfIdle',
    (client) =>
      archiveIfIdle(client, {
        id: RUN,
        because: 'it is over',
        line: control.line,
        audit: {
          at: T0,
          actor: { kind: 'USER', name: 'Mira' },
          action: 'definition.archived',
          subject: 'def_1',
          detail: {},
        },
      }),
  ],
]

const upcomingRun = (shift: number): UpcomingChange => {
  const run = {
    runId: RUN,
    versionId: RUN,
    version: 1,
    graceSeconds: 900,
    occurrenceKey: '2026-03-06T20:00',
    occurrenceAt: T0,
    scheduledFor: T0,
    moved: false,
    adjusted: null,
    shiftMinutes: null,
    hasSkippedStep: false,
    fence: 1,
  }
  const planned = { occurrenceAt: T0 + shift, scheduledFor: T0 + shift, graceUntil: T0 + shift + 900_000 }
  return { kind: 'REPIN', run, ...planned, adjusted: null, shiftMinutes: null, line: null }
}

async function plansOfChange(changes: UpcomingChange[]): Promise<string[]> {
  const { client, plans } = explaining(db.patient)
  const change = Prisma.sql`done AS (UPDATE definitions SET title = title WHERE id = ${RUN}::uuid AND ${UNCHANGED} RETURNING id)`
  await changeWithUpcoming(client, change, {
    definitionId: RUN,
    versionId: RUN,
    watermark: null,
    read: changes.map(({ run }) => run),
    changes,
    timetable,
    steps: [],
    budget,
    zoneData: '2026a',
    now: T0,
    actor: { kind: 'USER', name: 'Mira' },
  })
  return plans
}

const expectNone = (walks: readonly RegExp[], plans: readonly string[]) => {
  expect(plans.length).toBeGreaterThan(0)
  for (const plan of plans) for (const walk of walks) expect(plan).not.toMatch(walk)
}
const SCANS = /Seq Scan on (?!definitions)/

describe.each(['new tables', `tables of ${RUNS} runs`])('on %s', (size) => {
  beforeAll(async () => {
    if (size.startsWith('tables')) await fillTables(db, { runs: RUNS, at: T0 })
  }, 60_000)

  test.each(controls)('%s looks up what it needs', async (_name, send) => {
    const { client, plans } = explaining(db.controls)
    await send(client).catch(() => {})
    // It is about one run, and joins no more than what that one has.
    expectNone([SCANS, WHOLE_INDEX], plans)
  })

  test.each(changes)('%s looks up what it needs', async (_name, send) => {
    const { client, plans } = explaining(db.patient)
    await send(client).catch(() => {})
    expectNone([SCANS, WHOLE_INDEX, ...WALKED_FOR_EACH], plans)
  })

  test('a definition that takes its upcoming runs along looks them up', async () => {
    const plans = await plansOfChange([upcomingRun(0)])
    expect(plans).toHaveLength(1)
    const moving = await plansOfChange([upcomingRun(60_000)])
    expect(moving).toHaveLength(2)
    expectNone([SCANS, WHOLE_INDEX, ...WALKED_FOR_EACH], [...plans, ...moving])
  })
})
