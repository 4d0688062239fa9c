import { IconCalendarOff } from '@tabler/icons-react'
import type { DefinitionPageFragment } from '../../generated/console/documents.ts'
import { Countdown } from '../time/countdown.tsx'
import { Instant } from '../time/instant.tsx'
import { Empty } from '../ui/empty.tsx'
import { type Coming, comingOf } from './coming.ts'
import classes from './definition.module.css'
import { ComingSigns } from './next-occurrence.tsx'

/** What the schedule of the current version has next, as things are. */
export function Occurrences({ definition }: { definition: DefinitionPageFragment }) {
  const { currentVersion, timeZone, schedulePaused } = definition
  const coming = comingOf(definition)
  if (coming.length > 0) {
    return (
      <div className={classes.panel}>
        <ComingList coming={coming} zone={currentVersion?.timeZone ?? timeZone} />
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

function ComingList({ coming, zone }: { coming: readonly Coming[]; zone: string }) {
  return (
    <ol className={classes.occurrences} aria-label="Next occurrences">
      {coming.map((start) => (
        <li key={`${start.at} ${start.scope} ${start.isMoved}`} className={classes.occurrence}>
          <Instant at={start.at} zone={zone} />
          {start.scope !== '' && <span className={classes.dim}>in {start.scope}</span>}
          <ComingSigns coming={start} zone={zone} />
          <span className={classes.end}>
            <Countdown until={start.at} what="starts" />
          </span>
        </li>
      ))}
    </ol>
  )
}
