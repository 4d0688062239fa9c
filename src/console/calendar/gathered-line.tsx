import { Link } from '@tanstack/react-router'
import { showTimeOfDay } from '../time/clock-text.ts'
import type { Day } from '../time/day-field.ts'
import classes from './calendar.module.css'
import { type DayLine, troubles } from './day-lines.ts'

type GatheredLineProps = {
  day: Day
  line: Exclude<DayLine, { kind: 'one' }>
  /** Id of the one event that is shown; null: all are. */
  event: string | null
}

/** Many occurrences in one line, which leads to all of them: those of one event, or what there is no room for. */
export function GatheredLine({ day, line, event }: GatheredLineProps) {
  const { kind, occurrences } = line
  const [first, last] = [occurrences[0], occurrences.at(-1)]
  if (first === undefined || last === undefined) return null
  const bad = troubles(occurrences)
  const only = kind === 'many' ? first.definition.id : event
  return (
    <Link
      to="/calendar"
      search={{ view: 'day', on: day, ...(only === null ? {} : { event: only }) }}
      className={classes.gathered}
      data-line
    >
      <span>
        {kind === 'more' ? (
          `${occurrences.length} more`
        ) : (
          <>
            <strong>{occurrences.length}×</strong> <bdi>{first.definition.title}</bdi>
          </>
        )}
      </span>
      {kind === 'many' && (
        <span className={classes.there}>
          {showTimeOfDay(first.at, first.timeZone).text}–{showTimeOfDay(last.at, last.timeZone).text}
        </span>
      )}
      {bad > 0 && <span className={classes.bad}>{bad === 1 ? '1 to look at' : `${bad} to look at`}</span>}
    </Link>
  )
}
