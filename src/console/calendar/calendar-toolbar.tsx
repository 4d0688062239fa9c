import { SegmentedControl, Select, Title } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useMay } from '../session/viewer-context.ts'
import type { Day } from '../time/day-field.ts'
import { LinkButton } from '../ui/link-button.tsx'
import classes from './calendar.module.css'
import { stepped, VIEWS, type View } from './days.ts'

type CalendarToolbarProps = {
  view: View
  on: Day
  event: string | null
  title: string
  /** Which there are to choose from. */
  events: readonly { id: string; slug: string; title: string }[]
}

const WORDS = { day: 'Day', week: 'Week', month: 'Month' } as const

/** Where one is in time, how much of it is shown, and of which event. */
export function CalendarToolbar({ view, on, event, title, events }: CalendarToolbarProps) {
  const navigate = useNavigate()
  const mayStart = useMay('ADMIN')
  const only = event === null ? {} : { event }
  const slug = events.find(({ id }) => id === event)?.slug
  const known = new Map(events.map(({ id, title: label }) => [id, label]))
  if (event !== null && !known.has(event)) known.set(event, 'Another event')
  return (
    <div className={classes.toolbar}>
      <Title order={1} fz="h2" className={classes.heading}>
        <span className={classes.hidden}>Calendar: </span>
        {title}
      </Title>
      <div className={classes.steps}>
        <LinkButton variant="default" to="/calendar" search={{ view, ...only }}>
          Today
        </LinkButton>
        {([-1, 1] as const).map((by) => (
          <LinkButton
            key={by}
            variant="default"
            px="sm"
            to="/calendar"
            search={{ view, on: stepped(view, on, by), ...only }}
          >
            <span aria-hidden>{by < 0 ? '‹' : '›'}</span>
            <span className={classes.hidden}>{`${by < 0 ? 'Previous' : 'Next'} ${view}`}</span>
          </LinkButton>
        ))}
      </div>
      <SegmentedControl
        aria-label="How much is shown"
        value={view}
        data={VIEWS.map((value) => ({ value, label: WORDS[value] }))}
        onChange={(value) => void navigate({ to: '/calendar', search: { view: value as View, on, ...only } })}
      />
      <Select
        aria-label="Event"
        placeholder="All events"
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'All events' }}
        nothingFoundMessage="No such event"
        value={event}
        data={[...known].map(([value, label]) => ({ value, label }))}
        onChange={(value) =>
          void navigate({ to: '/calendar', search: { view, on, ...(value === null ? {} : { event: value }) } })
        }
        className={classes.filter}
      />
      {mayStart &&
        (slug === undefined ? (
          <LinkButton to="/start" className={classes.startButton}>
            Start a run
          </LinkButton>
        ) : (
          <LinkButton to="/start/$slug" params={{ slug }} className={classes.startButton}>
            Start a run
          </LinkButton>
        ))}
    </div>
  )
}
