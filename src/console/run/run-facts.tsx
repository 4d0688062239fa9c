import { ActionIcon, CopyButton } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { RunConsoleFragment } from '../../generated/console/documents.ts'
import { Instant } from '../time/instant.tsx'
import classes from './run.module.css'

/** What else there is to know of a run. */
export function RunFacts({ run }: { run: RunConsoleFragment }) {
  const params = Object.entries(run.params)
  return (
    <dl className={classes.facts}>
      <dt>Id</dt>
      <dd>
        <code>{run.id}</code>
        <CopyButton value={run.id}>
          {({ copied, copy }) => (
            <ActionIcon variant="subtle" color="gray" onClick={copy} aria-label={copied ? 'Copied' : 'Copy the id'}>
              {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
            </ActionIcon>
          )}
        </CopyButton>
      </dd>
      <dt>Event</dt>
      <dd>
        <Link to="/definitions/$slug" params={{ slug: run.definition.slug }} className={classes.link}>
          {run.definition.title}
        </Link>{' '}
        (<code>{run.definition.slug}</code>), version {run.version.version}
      </dd>
      <dt>Time zone</dt>
      <dd>{run.timeZone}</dd>
      <dt>Scheduled for</dt>
      <dd>
        <Instant at={run.scheduledFor} zone={run.timeZone} />
      </dd>
      {run.occurrenceAt !== run.scheduledFor && (
        <>
          <dt>Moved from</dt>
          <dd>
            <Instant at={run.occurrenceAt} zone={run.timeZone} />
          </dd>
        </>
      )}
      {run.concurrencyKey !== null && (
        <>
          <dt>Concurrency key</dt>
          <dd>
            <code>{run.concurrencyKey}</code>
          </dd>
        </>
      )}
      {run.resultsPublishedAt !== null && (
        <>
          <dt>Results published</dt>
          <dd>
            <Instant at={run.resultsPublishedAt} zone={run.timeZone} />
          </dd>
        </>
      )}
      {params.map(([name, value]) => (
        <div key={name} className={classes.fact}>
          <dt>{name}</dt>
          <dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
        </div>
      ))}
    </dl>
  )
}
