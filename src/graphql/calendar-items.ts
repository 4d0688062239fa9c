import type { ControlContext } from '../controls/context.ts'
import { type CalendarItem, contentions, timeOfRun } from '../domain/calendar.ts'
import { isTerminal } from '../domain/run.ts'
import { type CalendarRun, calendarRuns, contendingRuns } from '../store/calendar-reads.ts'
import { projections, scheduled, type Window } from './projections.ts'
import { badUserInput } from './request-errors.ts'

/** Entries that one calendar holds at most. */
export const MAX_ENTRIES = 5000
/** Occurrences of the same keys that these are compared with. */
const MAX_CONTENDING = 20_000
const DAY_MS = 86_400_000
/** No grace window is longer, so that nothing further away contends. */
const LONGEST_GRACE_MS = DAY_MS
/** Longest window: a year and some days. */
const MAX_WINDOW_MS = 400 * DAY_MS

export type Calendar = { item: CalendarItem; contendsWith: readonly string[] }[]

/**
 * The occurrences that start in [from, to), in order: runs, and what schedules will make of which there is no run yet.
 * Throws BAD_USER_INPUT on a window that is too long or holds too much.
 */
export async function calendarItems(
  control: ControlContext,
  { from, to, definitionId, scope }: Window & { definitionId?: string; scope?: string },
): Promise<Calendar> {
  if (to <= from) throw badUserInput('to must be after from; give the end of the window.')
  if (to - from > MAX_WINDOW_MS) throw badUserInput('The window is longer than 400 days; ask for a shorter one.')
  const { db } = control
  const which = {
    from: new Date(from),
    to: new Date(to),
    limit: MAX_ENTRIES + 1,
    ...(definitionId === undefined ? {} : { definitionId }),
    ...(scope === undefined ? {} : { scope }),
  }
  const runs = (await calendarRuns(db, which))
    .map((run) => itemOf(control, run))
    .filter(({ at }) => at >= from && at < to)
  // Schedules make runs without a scope, and none in the past.
  const mayProject = (scope === undefined || scope === '') && to > control.clock.now()
  const ofThese = { unmadeBefore: new Date(to), ...(definitionId === undefined ? {} : { ids: [definitionId] }) }
  const mine = mayProject ? await scheduled(control, ofThese) : []
  const { planned, until } = await projections(control, mine, { from, to, limit: MAX_ENTRIES })
  const items = [...runs, ...planned]
  if (items.length > MAX_ENTRIES || until < to) {
    throw badUserInput(
      `There are more than ${MAX_ENTRIES} entries between from and to; ask for a shorter window, or for one definitionId or scope.`,
    )
  }
  items.sort((a, b) => a.at - b.at)
  const contending = await contendersOf(control, items, { from, to })
  const found = contentions(items, contending)
  return items.map((item) => ({ item, contendsWith: [...(found.get(item) ?? [])] }))
}

/** Everything that shares a key with one of the items, itself among it, within reach of a grace window. */
async function contendersOf(
  control: ControlContext,
  items: readonly CalendarItem[],
  { from, to }: Window,
): Promise<CalendarItem[]> {
  const keys = new Set(items.flatMap(({ contendsFor }) => contendsFor ?? []))
  if (keys.size === 0) return []
  const reach = { from: from - LONGEST_GRACE_MS, to: to + LONGEST_GRACE_MS }
  const window = { from: new Date(reach.from), to: new Date(reach.to) }
  const runs = await contendingRuns(control.db, { ...window, keys: [...keys], limit: MAX_CONTENDING + 1 })
  const sharing = (await scheduled(control, { keyed: true, unmadeBefore: window.to })).filter(
    ({ timetable: { concurrencyKey } }) => concurrencyKey !== null && keys.has(concurrencyKey),
  )
  const { planned, until } = await projections(control, sharing, { ...reach, limit: MAX_CONTENDING })
  const others = [...runs.map((run) => itemOf(control, run)), ...planned]
  if (others.length > MAX_CONTENDING || until < reach.to) {
    throw badUserInput(
      `More than ${MAX_CONTENDING} occurrences need a concurrency key of those between from and to; ask for a shorter window, or for one definitionId or scope.`,
    )
  }
  const known = new Map(items.map((item) => [identityOf(item), item]))
  for (const other of others) if (!known.has(identityOf(other))) known.set(identityOf(other), other)
  return [...known.values()]
}

const identityOf = ({ runId, definitionId, at }: CalendarItem) => runId ?? `${definitionId} ${at}`

function itemOf({ zones }: ControlContext, run: CalendarRun): CalendarItem {
  const cannotContend = run.rehearsal || run.paused || isTerminal(run.status)
  return {
    definitionId: run.definitionId,
    runId: run.runId,
    ...timeOfRun(run, zones),
    timeZone: run.timeZone,
    graceUntil: run.graceUntil.getTime(),
    contendsFor: cannotContend ? null : run.concurrencyKey,
  }
}
