import { IconPlayerPause } from '@tabler/icons-react'
import type { CalendarEventsQuery } from '../../generated/console/documents.ts'
import classes from './calendar.module.css'

type PausedSchedulesProps = {
  events: readonly Pick<
    CalendarEventsQuery['definitions']['edges'][number]['node'],
    'id' | 'title' | 'schedulePaused'
  >[]
}

/** Names that stand by themselves; the others are counted. */
const NAMED = 4

/** Which events' schedules are paused: what they would make is on no calendar. */
export function PausedSchedules({ events }: PausedSchedulesProps) {
  const paused = events.filter(({ schedulePaused }) => schedulePaused)
  if (paused.length === 0) return null
  const names = paused.slice(0, NAMED).map(({ title }) => title)
  if (paused.length > NAMED) names.push(`${paused.length - NAMED} more`)
  return (
    <p className={classes.paused}>
      <IconPlayerPause size={18} aria-hidden />
      <span>
        <strong>{paused.length === 1 ? 'Schedule paused:' : 'Schedules paused:'}</strong>{' '}
        {new Intl.ListFormat('en-GB').format(names)}. What they plan is not shown, and what they have made is missed at
        its instant, until they are resumed.
      </span>
    </p>
  )
}
