import type { StartableEventFragment } from '../../generated/console/documents.ts'
import { Notice } from '../ui/notice.tsx'
import { Section } from '../ui/section.tsx'
import classes from './start.module.css'

type EventFactsProps = {
  event: StartableEventFragment
  version: NonNullable<StartableEventFragment['currentVersion']>
}

/** What will run, for who is about to start it. */
export function EventFacts({ event, version }: EventFactsProps) {
  const { phases } = version.spec
  return (
    <div className={classes.facts}>
      <Section title="What will run">
        {event.description !== null && <p className={classes.description}>{event.description}</p>}
        <dl className={classes.list}>
          <dt>Version</dt>
          <dd>{version.version}</dd>
          <dt>Time zone</dt>
          <dd>{version.timeZone}</dd>
          <dt>{phases.length === 1 ? 'Phase' : 'Phases'}</dt>
          <dd>{phases.map(({ label }) => label).join(', ')}</dd>
          {version.concurrencyKey !== null && (
            <>
              <dt>One at a time</dt>
              <dd>
                <code>{version.concurrencyKey}</code>
              </dd>
            </>
          )}
        </dl>
      </Section>
      {!event.versionVerified && (
        <Notice tone="wait" title="No verification of this version has passed">
          Its schedule is held for that. You may start it all the same.
        </Notice>
      )}
    </div>
  )
}
