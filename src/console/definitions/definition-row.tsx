import { Link } from '@tanstack/react-router'
import type { DefinitionRowFragment, WhatIsNextFragment } from '../../generated/console/documents.ts'
import { Countdown } from '../time/countdown.tsx'
import { Instant } from '../time/instant.tsx'
import { comingOf } from './coming.ts'
import { DefinitionState } from './definition-state.tsx'
import classes from './definitions.module.css'
import { ComingSigns } from './next-occurrence.tsx'
import { scheduleWords } from './schedule-words.ts'

/** An event in the list: what it is called, how far it has got, when it comes. */
export function DefinitionRow({ definition }: { definition: DefinitionRowFragment & WhatIsNextFragment }) {
  const { slug, title, description, currentVersion, draft, timeZone, state, schedulePaused } = definition
  const [next] = comingOf(definition)
  const zone = currentVersion?.timeZone ?? timeZone
  const schedule = currentVersion?.spec.schedule ?? draft.schedule
  return (
    <li className={classes.row}>
      <div className={classes.rowName}>
        <Link to="/definitions/$slug" params={{ slug }} className={classes.link}>
          {title === '' ? slug : title}
        </Link>
        <code className={classes.slug}>{slug}</code>
        {description !== null && <p className={classes.description}>{description}</p>}
      </div>
      <div className={classes.when}>
        <span>{scheduleWords(schedule, zone)}</span>
        <span className={classes.next}>
          {next === undefined ? (
            schedule.__typename !== 'ManualSchedule' &&
            state === 'READY' &&
            (schedulePaused ? 'Nothing comes until it is resumed' : 'Nothing more comes')
          ) : (
            <>
              <ComingSigns coming={next} zone={zone} />
              <Instant at={next.at} zone={zone} />
              <strong>
                <Countdown until={next.at} what="starts" />
              </strong>
            </>
          )}
        </span>
      </div>
      <div className={classes.chips}>
        <DefinitionState definition={definition} />
      </div>
    </li>
  )
}
