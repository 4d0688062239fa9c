import { Link } from '@tanstack/react-router'
import type { Day } from '../time/day-field.ts'
import { moveByArrows } from './arrow-keys.ts'
import shared from './calendar.module.css'
import { linesOf } from './day-lines.ts'
import { nameOf, sameMonth, weekdayOf } from './days.ts'
import { GatheredLine } from './gathered-line.tsx'
import classes from './grid.module.css'
import { keyOf, type Occurrence } from './occurrence.ts'
import { OccurrenceLine } from './occurrence-line.tsx'

type CalendarGridProps = {
  view: 'week' | 'month'
  /** Of the month that is meant; those around it are dimmed. */
  on: Day
  /** Whole weeks. */
  days: readonly Day[]
  today: Day
  occurrences: ReadonlyMap<Day, readonly Occurrence[]>
  event: string | null
  onOpen(occurrence: Occurrence): void
}

/** Lines of one day: beyond, those of one event are gathered. */
const LIMITS = { week: 16, month: 4 } as const
const WEEK = 7
const NONE: readonly Occurrence[] = []

/** Weeks as rows and days as columns; a table for who hears it. */
export function CalendarGrid({ view, on, days, today, occurrences, event, onOpen }: CalendarGridProps) {
  const weeks = Array.from({ length: days.length / WEEK }, (_, week) => days.slice(week * WEEK, (week + 1) * WEEK))
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys only move between what can be focused within it
    <div className={classes.gridBox} onKeyDown={moveByArrows}>
      <table className={classes.grid} data-view={view}>
        <thead>
          <tr>
            {days.slice(0, WEEK).map((day) => (
              <th key={day} scope="col">
                {weekdayOf(day)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week) => (
            <tr key={week[0]}>
              {week.map((day) => (
                <td
                  key={day}
                  data-day={day}
                  data-today={day === today || undefined}
                  data-around={(view === 'month' && !sameMonth(day, on)) || undefined}
                >
                  <Link
                    to="/calendar"
                    search={{ view: 'day', on: day, ...(event === null ? {} : { event }) }}
                    className={classes.dayLink}
                    aria-current={day === today ? 'date' : undefined}
                    data-around={(view === 'month' && !sameMonth(day, on)) || undefined}
                    data-line
                  >
                    <span aria-hidden>{Number(day.slice(8))}</span>
                    <span className={shared.hidden}>{nameOf(day)}</span>
                  </Link>
                  <ul className={classes.lines}>
                    {linesOf(occurrences.get(day) ?? NONE, LIMITS[view]).map((line) =>
                      line.kind === 'one' ? (
                        <li key={keyOf(line.occurrence)}>
                          <OccurrenceLine occurrence={line.occurrence} isSmall={view === 'month'} onOpen={onOpen} />
                        </li>
                      ) : (
                        <li key={line.kind === 'more' ? 'more' : line.occurrences[0]?.definition.id}>
                          <GatheredLine day={day} line={line} event={event} />
                        </li>
                      ),
                    )}
                  </ul>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
