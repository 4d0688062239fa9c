import { setImmediate } from 'node:timers/promises'
import { v5 as uuidFrom } from 'uuid'
import type { ControlContext } from '../controls/context.ts'
import { DESCRIPTION_SHOWN, eventOf, type FeedOccurrence } from '../domain/calendar-feed.ts'
import { icalEventText, icalendarText } from '../domain/icalendar.ts'
import { formatId } from '../domain/ids.ts'
import { DAY_MS, wallText } from '../domain/recurrence/civil.ts'
import { wallOfInstant } from '../domain/recurrence/local-instant.ts'
import { type Projection, projections, scheduled } from '../graphql/projections.ts'
import { type FeedRunRow, feedDefinitions, feedRuns } from '../store/feed-reads.ts'
import { type Bounds, type Reach, reachOf, type Sized } from './feed-reach.ts'

/** What one feed holds at most, in days before and after now, events, and bytes of their texts. */
export const BOUNDS: Bounds = { back: 30, ahead: 180, events: 2_000, bytes: 2_000_000 }
/** How often calendars are asked to look again. */
const REFRESH_MINUTES = 15
/** Events that are written in one stretch, before others get their turn. */
const EVENTS_AT_ONCE = 100

type Found = FeedOccurrence & { definitionId: string }

/**
 * The calendar as iCalendar, of 30 days back and 180 ahead: runs, without rehearsals and superseded ones, and what
 * schedules will make. Where that is more than 2,000 events or 2 MB it reaches less far, and says so in its description.
 * The same occurrences are the same text. `publicUrl`: the server's, for links; null: none. `definitionId`: a bare UUID;
 * null: of all definitions.
 */
export async function calendarFeed(
  control: ControlContext,
  { publicUrl, definitionId }: { publicUrl: string | null; definitionId: string | null },
): Promise<string> {
  const now = control.clock.now()
  const { found, knownUntil } = await occurrences(control, { now, definitionId })
  const ids = new Set(found.map((occurrence) => occurrence.definitionId))
  const told = await feedDefinitions(control.db, [...ids], { shown: DESCRIPTION_SHOWN })
  const items: (Sized & { text: string })[] = []
  for (const [index, occurrence] of found.entries()) {
    if (index % EVENTS_AT_ONCE === 0) await setImmediate()
    const definition = told.get(occurrence.definitionId)
    if (definition === undefined) continue
    const { uid, at, timeZone, run } = occurrence
    const local = wallText(wallOfInstant(at, timeZone, control.zones))
    const link = publicUrl === null || run === null ? null : `${publicUrl}/runs/${formatId('Run', run.id)}`
    const event = { definition: { ...definition, updatedAt: definition.updatedAt.getTime() }, local, link }
    const text = icalEventText(eventOf(occurrence, event))
    items.push({ uid, at, text, bytes: Buffer.byteLength(text) })
  }
  const reach = reachOf(items, { now, knownUntil, bounds: BOUNDS })
  return icalendarText({
    name: 'Cuelight',
    description: reachSentence(reach),
    refreshMinutes: REFRESH_MINUTES,
    events: reach.shown.map(({ text }) => text),
  })
}

function reachSentence({ back, ahead, cut }: Reach<unknown>): string {
  const days = (count: number) => `${Math.floor(count * 10) / 10} days`
  const all = `the last ${days(back)} and the next ${days(ahead)}`
  if (back === BOUNDS.back && ahead === BOUNDS.ahead) return `${upperFirst(all)}.`
  const whole = cut ? `What is nearest to now of ${all}; the rest of these is left out` : upperFirst(all)
  return `${whole}, as more would be over ${BOUNDS.events} events or ${BOUNDS.bytes / 1_000_000} MB. For one event alone put &event=<its slug> behind the address.`
}

const upperFirst = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** What the feed may show, of either side of now the nearest: more than it shows, where there is more. */
async function occurrences(
  control: ControlContext,
  { now, definitionId }: { now: number; definitionId: string | null },
): Promise<{ found: Found[]; knownUntil: number }> {
  const [from, to] = [now - BOUNDS.back * DAY_MS, now + BOUNDS.ahead * DAY_MS]
  const ids = definitionId === null ? {} : { ids: [definitionId] }
  const definitions = await scheduled(control, { unmadeBefore: new Date(to), ...ids })
  // Before the runs are read, so that an occurrence whose run is being made is there in one way at least.
  const { planned, until } = await projections(control, definitions, { from: now, to, limit: BOUNDS.events })
  const runs = (window: { from: number; to: number; latestFirst: boolean }) =>
    feedRuns(control.db, {
      from: new Date(window.from),
      to: new Date(window.to),
      latestFirst: window.latestFirst,
      definitionId,
      limit: BOUNDS.events + 1,
    })
  const ahead = await runs({ from: now, to, latestFirst: false })
  const back = await runs({ from, to: now, latestFirst: true })
  const found = [...planned.map(ofProjection), ...ahead.map(ofRun), ...back.map(ofRun)]
  return { found: [...new Map(found.map((occurrence) => [occurrence.uid, occurrence])).values()], knownUntil: until }
}

const uidOf = (definitionId: string, scope: string, key: string): string =>
  uuidFrom(JSON.stringify([scope, key]), definitionId)

function ofProjection(projection: Projection): Found {
  const { definitionId, key, at, timeZone, version, verified, settledAt, turns } = projection
  return {
    definitionId,
    // Schedules make runs without a scope.
    uid: uidOf(definitionId, '', key),
    scope: '',
    at,
    timeZone,
    version,
    turns,
    modified: settledAt,
    run: null,
    held: !verified,
  }
}

function ofRun(run: FeedRunRow): Found {
  const { runId, definitionId, scope, occurrenceKey, timeZone, version, turns, held, status } = run
  const at = run.scheduledFor.getTime()
  return {
    definitionId,
    uid: uidOf(definitionId, scope, occurrenceKey),
    scope,
    at,
    timeZone,
    version,
    turns,
    modified: run.modifiedAt.getTime(),
    run: {
      id: runId,
      status,
      startedAt: run.startedAt?.getTime() ?? null,
      endedAt: run.endedAt?.getTime() ?? null,
      waitingCues: run.waitingCues,
      lastLine: run.lastLine,
    },
    held,
  }
}
