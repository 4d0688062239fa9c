import { v5 as uuidFrom } from 'uuid'
import type { ControlContext } from '../controls/context.ts'
import { eventOf, type FeedOccurrence } from '../domain/calendar-feed.ts'
import { icalendarText } from '../domain/icalendar.ts'
import { formatId } from '../domain/ids.ts'
import { DAY_MS, wallText } from '../domain/recurrence/civil.ts'
import { wallOfInstant } from '../domain/recurrence/local-instant.ts'
import { type Projection, projections, type Scheduled, scheduled, type Window } from '../graphql/projections.ts'
import { countFeedRuns, type FeedRunRow, feedDefinitions, feedRuns } from '../store/feed-reads.ts'

/** How far the feed reaches. */
const BACK_DAYS = 30
const AHEAD_DAYS = 180
/** Events that one feed holds at most: some 1 MB. */
export const MAX_EVENTS = 2_000
/** A shorter reach is not tried: what is too much within it is cut. */
const SHORTEST_REACH = 1 / 256
/** How often calendars are asked to look again. */
const REFRESH_MINUTES = 15

type Found = FeedOccurrence & { definitionId: string }
type Of = { definitionId: string | null; definitions: readonly Scheduled[]; whole: boolean }

/**
 * The calendar as iCalendar, of 30 days back and 180 ahead: runs, without rehearsals and superseded ones, and what
 * schedules will make. Where that is more than 2,000 events it reaches half as far both ways, and half of that, and says
 * so in its description. The same occurrences are the same text. `publicUrl`: the server's, for links; null: none.
 * `definitionId`: a bare UUID; null: of all definitions.
 */
export async function calendarFeed(
  control: ControlContext,
  { publicUrl, definitionId }: { publicUrl: string | null; definitionId: string | null },
): Promise<string> {
  const now = control.clock.now()
  const definitions = await scheduled(control, {
    unmadeBefore: new Date(windowOf(now, 1).to),
    ...(definitionId === null ? {} : { ids: [definitionId] }),
  })
  let reach = 1
  let found: Found[] | null = null
  while (found === null) {
    found = await occurrencesWithin(control, windowOf(now, reach), {
      definitionId,
      definitions,
      whole: reach <= SHORTEST_REACH,
    })
    if (found === null) reach /= 2
  }
  const shown = found.slice(0, MAX_EVENTS)
  const told = await feedDefinitions(control.db, [...new Set(shown.map((occurrence) => occurrence.definitionId))])
  const events = shown.flatMap((occurrence) => {
    const definition = told.get(occurrence.definitionId)
    if (definition === undefined) return []
    const { at, timeZone, run } = occurrence
    const local = wallText(wallOfInstant(at, timeZone, control.zones))
    const link = publicUrl === null || run === null ? null : `${publicUrl}/runs/${formatId('Run', run.id)}`
    return eventOf(occurrence, {
      definition: { ...definition, updatedAt: definition.updatedAt.getTime() },
      local,
      link,
    })
  })
  return icalendarText({ name: 'Cuelight', description: reachSentence(reach), refreshMinutes: REFRESH_MINUTES, events })
}

const windowOf = (now: number, reach: number): Window => ({
  from: now - BACK_DAYS * reach * DAY_MS,
  to: now + AHEAD_DAYS * reach * DAY_MS,
})

function reachSentence(reach: number): string {
  const days = (count: number) => `${Math.floor(count * reach * 10) / 10} days`
  const all = `The last ${days(BACK_DAYS)} and the next ${days(AHEAD_DAYS)}`
  if (reach === 1) return `${all}.`
  return `${all}, as more would be over ${MAX_EVENTS} events. For one event alone put &event=<its slug> behind the address.`
}

/** In order; null where there are more than the feed holds. `whole`: they are wanted all the same, up to twice as many. */
async function occurrencesWithin(
  control: ControlContext,
  { from, to }: Window,
  { definitionId, definitions, whole }: Of,
): Promise<Found[] | null> {
  const limit = MAX_EVENTS + 1
  const window = { from: new Date(from), to: new Date(to), definitionId, limit }
  if (!whole && (await countFeedRuns(control.db, window)) > MAX_EVENTS) return null
  // Before the runs are read, so that an occurrence whose run is being made is there in one way at least.
  const planned = await projections(control, definitions, { from, to, limit })
  if (!whole && planned.length > MAX_EVENTS) return null
  const runs = await feedRuns(control.db, window)
  if (!whole && planned.length + runs.length > MAX_EVENTS) return null
  const found = [...planned.map(ofProjection), ...runs.map(ofRun)]
  return [...new Map(found.map((occurrence) => [occurrence.uid, occurrence])).values()].sort(
    (a, b) => a.at - b.at || (a.uid < b.uid ? -1 : 1),
  )
}

const uidOf = (definitionId: string, scope: string, key: string): string =>
  uuidFrom(JSON.stringify([scope, key]), definitionId)

function ofProjection(projection: Projection): Found {
  const { definitionId, key, at, timeZone, version, verified, settledAt } = projection
  return {
    definitionId,
    // Schedules make runs without a scope.
    uid: uidOf(definitionId, '', key),
    scope: '',
    at,
    timeZone,
    version,
    modified: settledAt,
    run: null,
    held: !verified,
  }
}

function ofRun(run: FeedRunRow): Found {
  const { runId, definitionId, scope, occurrenceKey, timeZone, version, held, status, waitingCues, lastLine } = run
  const at = run.scheduledFor.getTime()
  return {
    definitionId,
    uid: uidOf(definitionId, scope, occurrenceKey),
    scope,
    at,
    timeZone,
    version,
    modified: run.modifiedAt.getTime(),
    run: {
      id: runId,
      status,
      startedAt: run.startedAt?.getTime() ?? null,
      endedAt: run.endedAt?.getTime() ?? null,
      waitingCues,
      lastLine,
    },
    held,
  }
}
