import { Button } from '@mantine/core'
import { IconPlayerPause } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { CalendarEventsQuery } from '../../generated/console/documents.ts'
import { useConnection } from '../api/connection-context.ts'
import { resumeControl } from '../definitions/definition-controls.ts'
import { useMay } from '../session/viewer-context.ts'
import { useAsk } from '../ui/control-host.tsx'
import classes from './calendar.module.css'

type PausedSchedulesProps = {
  events: readonly CalendarEventsQuery['definitions']['edges'][number]['node'][]
  /** One was resumed: the calendar has to be read again. */
  onChange(): void
}

/** Names that stand by themselves; the others are counted until they are asked for. */
const NAMED = 4

/** Which events' schedules are paused: what they would make is on no calendar. */
export function PausedSchedules({ events, onChange }: PausedSchedulesProps) {
  const { client } = useConnection()
  const ask = useAsk()
  const mayResume = useMay('ADMIN')
  const [isWhole, setWhole] = useState(false)
  const paused = events.filter(({ schedulePaused }) => schedulePaused)
  if (paused.length === 0) return null
  const shown = isWhole ? paused : paused.slice(0, NAMED)
  return (
    <div className={classes.paused}>
      <IconPlayerPause size={18} aria-hidden />
      <div>
        <p className={classes.pausedText}>
          <strong>{paused.length === 1 ? 'A schedule is paused.' : `${paused.length} schedules are paused.`}</strong>{' '}
          What they plan is not shown, and what they have made is missed at its instant, until they are resumed.
        </p>
        <ul className={classes.pausedNames} aria-label="Paused schedules">
          {shown.map((event) => (
            <li key={event.id}>
              <Link id={`paused-${event.id}`} to="/definitions/$slug" params={{ slug: event.slug }}>
                {event.title}
              </Link>
              {mayResume && (
                <Button
                  variant="default"
                  size="compact-sm"
                  aria-describedby={`paused-${event.id}`}
                  onClick={() => ask(resumeControl(client, event), onChange)}
                >
                  Resume …
                </Button>
              )}
            </li>
          ))}
          {paused.length > shown.length && (
            <li>
              <Button variant="subtle" size="compact-sm" onClick={() => setWhole(true)}>
                Show {paused.length - shown.length} more
              </Button>
            </li>
          )}
        </ul>
      </div>
    </div>
  )
}
