import { IconHistory } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { DefinitionRunsDocument } from '../../generated/console/documents.ts'
import { useLive } from '../api/live-query.ts'
import type { RunChanges } from '../run/run-changes.ts'
import { Instant } from '../time/instant.tsx'
import { Empty } from '../ui/empty.tsx'
import { HealthChip, RehearsalChip, StatusChip } from '../ui/run-status.tsx'
import { Unread } from '../ui/unread.tsx'
import classes from './definition.module.css'

const SHOWN = 100

/** The runs of a definition, the newest occurrence first. */
export function DefinitionRuns({ definitionId, changes }: { definitionId: string; changes: RunChanges | null }) {
  const { data, error } = useLive(
    { query: DefinitionRunsDocument, variables: { id: definitionId, first: SHOWN } },
    changes,
  )
  const found = data?.definition?.runs
  if (found === undefined) {
    return <Unread what="its runs" error={error} />
  }
  if (found.edges.length === 0) {
    return (
      <div className={classes.panel}>
        <Empty icon={IconHistory} title="It has not run yet" level={2}>
          <p>Rehearse it first: a rehearsal has real times and cues, and changes nothing in the world.</p>
        </Empty>
      </div>
    )
  }
  return (
    <div className={classes.panel}>
      <ul className={classes.occurrences} aria-label="Runs">
        {found.edges.map(({ node: run }) => (
          <li key={run.id} className={classes.occurrence}>
            <Link to="/runs/$runId" params={{ runId: run.id }} className={classes.run}>
              <Instant at={run.scheduledFor} zone={run.timeZone} />
            </Link>
            {run.scope !== '' && (
              <span className={classes.dim}>
                in <bdi>{run.scope}</bdi>
              </span>
            )}
            <span className={classes.dim}>version {run.version.version}</span>
            <span className={classes.end}>
              {run.rehearsal && <RehearsalChip />}
              <HealthChip health={run.health} stalledSince={run.stalledSince} />
              <StatusChip status={run.status} />
            </span>
          </li>
        ))}
      </ul>
      {found.totalCount !== found.edges.length && <p>These are the {found.edges.length} latest of them.</p>}
    </div>
  )
}
