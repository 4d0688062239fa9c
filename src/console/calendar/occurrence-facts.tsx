import { cityOf, showFull, viewerZone } from '../time/clock-text.ts'
import { Countdown } from '../time/countdown.tsx'
import { Chip } from '../ui/chip.tsx'
import shared from './calendar.module.css'
import classes from './details.module.css'
import { missedSentence, type Occurrence, remarksOf, statusOf } from './occurrence.ts'

/** What there is to know of an occurrence, in sentences. */
export function OccurrenceFacts({ occurrence }: { occurrence: Occurrence }) {
  const { at, local, timeZone, run, projected } = occurrence
  const { word, tone, icon } = statusOf(occurrence)
  const missed = missedSentence(occurrence)
  const remarks = remarksOf(occurrence)
  const there = showFull(at, timeZone)
  const wasAt = run !== null && run.scheduledFor !== run.occurrenceAt ? run.occurrenceAt : null
  return (
    <>
      <p className={classes.drawerChips}>
        <Chip tone={tone} icon={icon}>
          {word}
        </Chip>
        {(projected || run?.status === 'SCHEDULED') && (
          <strong>
            <Countdown until={at} what="starts" />
          </strong>
        )}
      </p>
      <dl className={classes.times}>
        <dt>Your clock</dt>
        <dd>
          <time dateTime={at}>{showFull(at, viewerZone)}</time>
          <span className={shared.there}> {cityOf(viewerZone)}</span>
        </dd>
        <dt>The event's</dt>
        <dd>
          {there ?? local.replace('T', ' ')}
          <span className={shared.there}> {cityOf(timeZone)}</span>
        </dd>
        {wasAt !== null && (
          <>
            <dt>Was to start</dt>
            <dd>
              {showFull(wasAt, timeZone) ?? showFull(wasAt, viewerZone)}
              <span className={shared.there}>
                {' '}
                {cityOf(showFull(wasAt, timeZone) === null ? viewerZone : timeZone)}
              </span>
            </dd>
          </>
        )}
        {run !== null && run.scope !== '' && (
          <>
            <dt>Scope</dt>
            <dd>{run.scope}</dd>
          </>
        )}
      </dl>
      {missed !== null && <p className={classes.missed}>{missed}</p>}
      {remarks.length > 0 && (
        <ul className={classes.remarks}>
          {remarks.map(({ kind, sentence, tone: of, icon: Icon }) => (
            <li key={kind} className={classes.remark} data-tone={of}>
              <Icon size={20} aria-hidden />
              <span>{sentence}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
