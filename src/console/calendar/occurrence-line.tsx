import { showTimeOfDay } from '../time/clock-text.ts'
import shared from './calendar.module.css'
import classes from './grid.module.css'
import { type Occurrence, remarksOf, statusOf } from './occurrence.ts'

type OccurrenceLineProps = {
  occurrence: Occurrence
  /** A month has room for less than a week. */
  isSmall: boolean
  onOpen(occurrence: Occurrence): void
}

/** An occurrence in the grid: when, what, and by signs how it stands. */
export function OccurrenceLine({ occurrence, isSmall, onOpen }: OccurrenceLineProps) {
  const { at, timeZone, definition, run, projected } = occurrence
  const { word, tone, icon: Icon } = statusOf(occurrence)
  const { text, event } = showTimeOfDay(at, timeZone)
  return (
    <button
      type="button"
      className={classes.line}
      data-line
      data-tone={tone}
      data-planned={projected || undefined}
      data-small={isSmall || undefined}
      title={isSmall && event !== null ? `${text} (${event}) ${definition.title}` : undefined}
      onClick={() => onOpen(occurrence)}
    >
      <span className={classes.lineTime}>
        <time dateTime={at}>{text}</time>
        {event !== null && <span className={isSmall ? shared.hidden : classes.lineThere}> {event}</span>}
      </span>{' '}
      <span className={classes.lineTitle}>
        <bdi>{definition.title}</bdi>
        {run !== null && run.scope !== '' && (
          <span className={shared.scope}>
            {' '}
            in <bdi>{run.scope}</bdi>
          </span>
        )}
      </span>{' '}
      <span className={classes.signs}>
        <Icon size={14} aria-hidden />
        <span className={shared.hidden}>{word}</span>
        {remarksOf(occurrence).map(({ kind, word: remark, tone: of, icon: Sign }) => (
          <span key={kind} className={shared.sign} data-tone={of} title={remark}>
            <Sign size={14} aria-hidden />
            <span className={shared.hidden}>, {remark}</span>
          </span>
        ))}
      </span>
    </button>
  )
}
