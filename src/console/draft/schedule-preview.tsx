import { Button } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import {
  type OccurrenceFragment,
  PreviewScheduleDocument,
  type ScheduleInput,
} from '../../generated/console/documents.ts'
import { sentenceOf } from '../api/act.ts'
import { useKept } from '../api/kept.ts'
import { useLive } from '../api/live-query.ts'
import { useChosen } from '../api/signal.ts'
import definitionClasses from '../definitions/definition.module.css'
import { listOf, objectOf, textOf } from '../definitions/json.ts'
import { DaylightSaving } from '../definitions/next-occurrence.tsx'
import { Instant } from '../time/instant.tsx'
import classes from './draft.module.css'
import { useDraft, useField } from './draft-context.ts'
import { withItem } from './list-change.ts'

const TYPING_MS = 300
const EXCLUDE = ['schedule', 'recurring', 'exclude']

/** What the schedule says in English, and what it has next, as it is being written. */
export function SchedulePreview() {
  const { store } = useDraft()
  const schedule = useChosen(store.view, ({ content }) => content.schedule)
  const timeZone = useChosen(store.view, ({ content }) => content.timeZone)
  const [asked] = useDebouncedValue(JSON.stringify({ schedule, timeZone: textOf(timeZone) }), TYPING_MS)
  const variables = JSON.parse(asked) as { schedule: ScheduleInput; timeZone: string }
  const live = useLive({ query: PreviewScheduleDocument, variables }, null)
  const last = useKept(live, variables)
  if (last === undefined) return live.error === null ? null : <p className={classes.issue}>{sentenceOf(live.error)}</p>
  const { phrase, occurrences, issues } = last.answer.previewSchedule
  const zone = last.asked.timeZone
  return (
    <section aria-label="What is next" className={classes.preview}>
      <p className={classes.phrase} role="status">
        {issues.length > 0
          ? 'What is next is shown as soon as the schedule is in order.'
          : phrase !== null
            ? `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`
            : occurrences.length === 0
              ? 'It does not occur any more.'
              : 'It occurs once.'}
      </p>
      {phrase !== null && occurrences.length === 0 && issues.length === 0 && <p>It does not occur any more.</p>}
      <ol className={definitionClasses.occurrences} aria-label="Next occurrences">
        {occurrences.map((occurrence) => (
          <li key={occurrence.at} className={definitionClasses.occurrence}>
            <Instant at={occurrence.at} zone={zone} />
            <DaylightSaving occurrence={occurrence} zone={zone} />
            {objectOf(schedule).recurring !== undefined && <LeaveOut occurrence={occurrence} />}
          </li>
        ))}
      </ol>
      {occurrences.length > 0 && (
        <p className={classes.none}>
          Where the clocks skip its time it comes as much later; where they show it twice it comes the first time.
        </p>
      )}
    </section>
  )
}

function LeaveOut({ occurrence }: { occurrence: OccurrenceFragment }) {
  const { value, set } = useField(EXCLUDE)
  const dates = listOf(value)
  return (
    <span className={definitionClasses.end}>
      <Button
        variant="subtle"
        size="compact-sm"
        aria-label={`Leave out ${occurrence.local}`}
        disabled={dates.includes(occurrence.local)}
        onClick={() => set(withItem(dates, dates.length, occurrence.local))}
      >
        Leave out
      </Button>
    </span>
  )
}
