import { IconCalendarOff } from '@tabler/icons-react'
import type { DefinitionPageFragment, OccurrenceFragment } from '../../generated/console/documents.ts'
import { Countdown } from '../time/countdown.tsx'
import { Instant } from '../time/instant.tsx'
import { Empty } from '../ui/empty.tsx'
import classes from './definition.module.css'
import { DaylightSaving } from './next-occurrence.tsx'

/** What the schedule of the current version has next. */
export function Occurrences({ definition }: { definition: DefinitionPageFragment }) {
  const { upcoming, currentVersion, timeZone, schedulePaused } = definition
  if (upcoming.length > 0) {
    return (
      <div className={classes.panel}>
        <OccurrenceList occurrences={upcoming} zone={currentVersion?.timeZone ?? timeZone} />
      </div>
    )
  }
  return (
    <div className={classes.panel}>
      <Empty icon={IconCalendarOff} title="Nothing comes by itself" level={2}>
        <p>
          {schedulePaused
            ? 'The schedule is paused: resume it, and what is next stands here.'
            : 'Give the draft a schedule and publish it, or start a run by hand.'}
        </p>
      </Empty>
    </div>
  )
}

/** Occurrences in order, and where the clocks change. */
export function OccurrenceList({ occurrences, zone }: { occurrences: readonly OccurrenceFragment[]; zone: string }) {
  return (
    <ol className={classes.occurrences} aria-label="Next occurrences">
      {occurrences.map((occurrence) => (
        <li key={occurrence.at} className={classes.occurrence}>
          <Instant at={occurrence.at} zone={zone} />
          <DaylightSaving occurrence={occurrence} />
          <span className={classes.end}>
            <Countdown until={occurrence.at} what="due" />
          </span>
        </li>
      ))}
    </ol>
  )
}
