import { Link } from '@tanstack/react-router'
import type { DefinitionRowFragment, NextStartWordsFragment } from '../../generated/console/documents.ts'
import { Countdown } from '../time/countdown.tsx'
import { Instant } from '../time/instant.tsx'
import { DefinitionState } from './definition-state.tsx'
import classes from './definitions.module.css'
import { NextStartSigns } from './next-occurrence.tsx'
import { scheduleWords } from './schedule-words.ts'

type ListedDefinition = DefinitionRowFragment & { nextStarts: readonly NextStartWordsFragment[] }

/** An event in the list: what it is called, how far it has got, when it comes. */
export function DefinitionRow({ definition }: { definition: ListedDefinition }) {
  const { slug, title, description, currentVersion, draft, timeZone } = definition
  const [next] = definition.nextStarts
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
            schedule.__typename !== 'ManualSchedule' && whyNothingComes(definition)
          ) : (
            <>
              <NextStartSigns start={next} zone={zone} />
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

function whyNothingComes({ state, schedulePaused, versionVerified }: DefinitionRowFragment): string | null {
  if (state !== 'READY') return null
  if (schedulePaused) return 'Nothing comes until it is resumed'
  return versionVerified ? 'Nothing more comes' : 'Nothing comes until it is verified'
}
