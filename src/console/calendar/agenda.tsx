import { showTimeOfDay } from '../time/clock-text.ts'
import type { Day } from '../time/day-field.ts'
import { Chip } from '../ui/chip.tsx'
import classes from './agenda.module.css'
import shared from './calendar.module.css'
import { linesOf } from './day-lines.ts'
import { nameOf } from './days.ts'
import { GatheredLine } from './gathered-line.tsx'
import { keyOf, missedSentence, type Occurrence, remarksOf, statusOf } from './occurrence.ts'

type AgendaProps = {
  days: readonly Day[]
  today: Day
  occurrences: ReadonlyMap<Day, readonly Occurrence[]>
  event: string | null
  /** Lines of one day: beyond, those of one event are gathered. */
  limit: number
  onOpen(occurrence: Occurrence): void
}

/** One day after the other, with what starts on it; days on which nothing does are left out. */
export function Agenda({ days, today, occurrences, event, limit, onOpen }: AgendaProps) {
  return days.map((day) => {
    const all = occurrences.get(day) ?? []
    if (all.length === 0) return null
    return (
      <section key={day} className={classes.agendaDay} aria-label={nameOf(day)}>
        {days.length > 1 && (
          <h2 className={classes.agendaTitle}>
            {nameOf(day)}
            {day === today && <Chip tone="info">Today</Chip>}
          </h2>
        )}
        <ol className={classes.agenda}>
          {linesOf(all, limit).map((line) =>
            line.kind === 'one' ? (
              <AgendaRow key={keyOf(line.occurrence)} occurrence={line.occurrence} onOpen={onOpen} />
            ) : (
              <li
                key={line.kind === 'more' ? 'more' : line.occurrences[0]?.definition.id}
                className={classes.agendaMany}
              >
                <GatheredLine day={day} line={line} event={event} />
              </li>
            ),
          )}
        </ol>
      </section>
    )
  })
}

function AgendaRow({ occurrence, onOpen }: { occurrence: Occurrence; onOpen(occurrence: Occurrence): void }) {
  const { at, timeZone, definition, run, projected } = occurrence
  const { word, tone, icon } = statusOf(occurrence)
  const { text, event } = showTimeOfDay(at, timeZone)
  const missed = missedSentence(occurrence)
  return (
    <li>
      <button
        type="button"
        className={classes.row}
        data-planned={projected || undefined}
        onClick={() => onOpen(occurrence)}
      >
        <span className={classes.rowTime}>
          <time dateTime={at}>{text}</time>
          {event !== null && <span className={shared.there}> {event}</span>}
        </span>{' '}
        <span className={classes.rowTitle}>
          {definition.title}
          {run !== null && run.scope !== '' && <span className={shared.scope}> in {run.scope}</span>}
          {missed !== null && <span className={classes.rowWhy}> {missed}</span>}
        </span>{' '}
        <span className={classes.rowChips}>
          {remarksOf(occurrence).map(({ kind, word: remark, tone: of, icon: sign }) => (
            <Chip key={kind} tone={of} icon={sign}>
              {remark}
            </Chip>
          ))}
          <Chip tone={tone} icon={icon}>
            {word}
          </Chip>
        </span>
      </button>
    </li>
  )
}
