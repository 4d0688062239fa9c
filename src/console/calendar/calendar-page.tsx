import { Loader, VisuallyHidden } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconCalendarOff } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { CalendarChangedDocument, CalendarDocument, CalendarEventsDocument } from '../../generated/console/documents.ts'
import { sentenceOf } from '../api/act.ts'
import { useLive } from '../api/live-query.ts'
import { useLookAgain } from '../api/look-again.ts'
import { STATUSES } from '../runs/runs-search.ts'
import { useMay } from '../session/viewer-context.ts'
import { usePageTitle } from '../shell/page-title.ts'
import type { Day } from '../time/day-field.ts'
import { useMinute } from '../time/now.ts'
import { Empty } from '../ui/empty.tsx'
import { Notice } from '../ui/notice.tsx'
import { Agenda } from './agenda.tsx'
import classes from './calendar.module.css'
import { CalendarGrid } from './calendar-grid.tsx'
import { CalendarToolbar } from './calendar-toolbar.tsx'
import { byDay, troubles } from './day-lines.ts'
import { dayOf, daysOf, titleOf, type View, windowOf } from './days.ts'
import { Legend } from './legend.tsx'
import { isSame, type Occurrence } from './occurrence.ts'
import { OccurrenceDrawer } from './occurrence-drawer.tsx'
import { PausedSchedules } from './paused-schedules.tsx'

type CalendarPageProps = {
  view: View
  /** Null: today. */
  day: Day | null
  /** Id of the one definition that is shown; null: all are. */
  event: string | null
}

const NOTHING = {}
/** Projections become runs, and days go by, without a word; read again this often besides. */
const LOOK_AGAIN_MS = 60_000
/** Lines of a day in a list of several. */
const AGENDA_LIMIT = 12

/** What starts when: runs, and what schedules will make. */
export function CalendarPage({ view, day, event }: CalendarPageProps) {
  const isNarrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false })
  const today = dayOf(useMinute())
  const on = day ?? today
  const days = daysOf(view, on)
  const { from, to } = windowOf(days)
  const only = event === null ? {} : { definitionId: event }
  const known = useLive({ query: CalendarEventsDocument, variables: NOTHING }, null)
  const [shown, setShown] = useState<readonly Occurrence[]>([])
  const { data, error, refresh } = useLive(
    { query: CalendarDocument, variables: { from, to, ...only } },
    {
      document: CalendarChangedDocument,
      variables: {
        filter: {
          scheduledFrom: from,
          scheduledTo: to,
          // Each by its name: the feed tells of SCHEDULED runs from the first only where they are named.
          status: [...STATUSES],
          ...only,
        },
      },
      // Runs change far more often than what a calendar shows of them.
      concerns: ({ runs: { matches, run } }) => {
        const before = shown.find((occurrence) => occurrence.run?.id === run.id)?.run
        return (
          !matches ||
          before?.status !== run.status ||
          before.scheduledFor !== run.scheduledFor ||
          before.waitingCues !== run.waitingCues
        )
      },
    },
  )
  if (data !== undefined && data.calendar !== shown) setShown(data.calendar)
  useLookAgain(refresh, LOOK_AGAIN_MS)
  useLookAgain(known.refresh, LOOK_AGAIN_MS)

  const changed = () => {
    refresh()
    known.refresh()
  }
  const [opened, setOpened] = useState<Occurrence | null>(null)
  const occurrences = data?.calendar ?? []
  const inOrder = byDay(occurrences)
  const events = known.data?.definitions.edges.map(({ node }) => node) ?? []
  const title = titleOf(view, on)
  const maySubscribe = useMay('ADMIN')
  usePageTitle(`Calendar: ${title}`)
  const list = { days, today, occurrences: inOrder, event, onOpen: setOpened }

  return (
    <>
      <CalendarToolbar
        view={view}
        on={on}
        event={event}
        title={title}
        events={events.length > 0 ? events : occurrences.map(({ definition }) => definition)}
      />
      <PausedSchedules events={event === null ? events : events.filter(({ id }) => id === event)} onChange={changed} />
      <p role="status" className={classes.summary}>
        {data === undefined ? (
          error === null && (
            <>
              <VisuallyHidden>Reading the calendar</VisuallyHidden>
              <Loader size="xs" aria-hidden />
            </>
          )
        ) : (
          <Summary occurrences={occurrences} />
        )}
      </p>
      {error !== null && data === undefined && (
        <Notice tone="bad">
          {sentenceOf(error)} {view !== 'day' && event === null && 'A shorter view, or one event, may be read.'}
        </Notice>
      )}
      {view === 'day' || isNarrow ? (
        <Agenda {...list} limit={view === 'day' ? Number.POSITIVE_INFINITY : AGENDA_LIMIT} />
      ) : (
        <>
          <CalendarGrid {...list} view={view} on={on} />
          <Legend occurrences={occurrences} />
        </>
      )}
      {data !== undefined && occurrences.length === 0 && (
        <Empty icon={IconCalendarOff} title={`Nothing starts: ${title}`} level={2}>
          <p>
            {event === null
              ? 'Look at another time, start a run, or publish an event with a schedule.'
              : 'Look at another time, or at all events.'}
          </p>
        </Empty>
      )}
      {maySubscribe && (
        <p className={classes.subscribe}>
          A calendar on a phone or in an office can follow this one: <Link to="/tokens">create a token</Link> of the
          role CALENDAR for it.
        </p>
      )}
      <OccurrenceDrawer
        occurrence={opened && (occurrences.find((each) => isSame(each, opened)) ?? opened)}
        onClose={() => setOpened(null)}
        onChange={changed}
      />
    </>
  )
}

function Summary({ occurrences }: { occurrences: readonly Occurrence[] }) {
  const bad = troubles(occurrences)
  const planned = occurrences.filter(({ projected }) => projected).length
  return (
    <>
      {occurrences.length === 1 ? '1 occurrence' : `${occurrences.length} occurrences`}
      {planned > 0 && `, ${planned} of them without a run yet`}
      {bad > 0 && (
        <>
          , <strong className={classes.bad}>{bad} to look at</strong>
        </>
      )}
    </>
  )
}
