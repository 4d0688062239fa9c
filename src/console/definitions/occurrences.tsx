import { IconCalendarOff } from '@tabler/icons-react'
import type { DefinitionPageFragment, NextStartWordsFragment } from '../../generated/console/documents.ts'
import { Countdown } from '../time/countdown.tsx'
import { Instant } from '../time/instant.tsx'
import { Empty } from '../ui/empty.tsx'
import classes from './definition.module.css'
import { NextStartSigns } from './next-occurrence.tsx'

/** What of the event starts next, or why nothing does. */
export function Occurrences({ definition }: { definition: DefinitionPageFragment }) {
  const { currentVersion, timeZone, nextStarts } = definition
  if (nextStarts.length > 0) {
    return (
      <div className={classes.panel}>
        <NextStarts starts={nextStarts} zone={currentVersion?.timeZone ?? timeZone} />
      </div>
    )
  }
  return (
    <div className={classes.panel}>
      <Empty icon={IconCalendarOff} title="Nothing comes by itself" level={2}>
        <p>{whatToDo(definition)}</p>
      </Empty>
    </div>
  )
}

function whatToDo({ schedulePaused, versionVerified, currentVersion }: DefinitionPageFragment): string {
  if (schedulePaused) return 'The schedule is paused: resume it, and what is next stands here.'
  const isHeld =
    currentVersion !== null && !versionVerified && currentVersion.spec.schedule.__typename !== 'ManualSchedule'
  return isHeld
    ? 'The schedule is held: let the version be verified, and what is next stands here.'
    : 'Give the draft a schedule and publish it, or start a run by hand.'
}

function NextStarts({ starts, zone }: { starts: readonly NextStartWordsFragment[]; zone: string }) {
  return (
    <ol className={classes.occurrences} aria-label="Next occurrences">
      {starts.map((start) => (
        <li key={start.run?.id ?? start.at} className={classes.occurrence}>
          <Instant at={start.at} zone={zone} />
          {start.scope !== '' && (
            <span className={classes.dim}>
              in <bdi>{start.scope}</bdi>
            </span>
          )}
          <NextStartSigns start={start} zone={zone} />
          <span className={classes.end}>
            <Countdown until={start.at} what="starts" />
          </span>
        </li>
      ))}
    </ol>
  )
}
