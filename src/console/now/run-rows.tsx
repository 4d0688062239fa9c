import { Link } from '@tanstack/react-router'
import type { RunRowFragment } from '../../generated/console/documents.ts'
import { Countdown } from '../time/countdown.tsx'
import { Instant } from '../time/instant.tsx'
import { Chip } from '../ui/chip.tsx'
import { HealthChip, RehearsalChip, StatusChip, whyMissed } from '../ui/run-status.tsx'
import classes from './now.module.css'

type RowProps = { run: RunRowFragment }

/** A run that is to start. */
export function NextRow({ run }: RowProps) {
  return (
    <li className={classes.row}>
      <Name run={run} />
      {run.waitingOn?.kind !== 'START' && run.waitingOn !== null && (
        <span className={classes.why}>{run.waitingOn.description}</span>
      )}
      <span className={classes.when}>
        <Instant at={run.scheduledFor} zone={run.timeZone} />
        <strong>
          <Countdown until={run.scheduledFor} what="starts" />
        </strong>
      </span>
    </li>
  )
}

/** A run that is over, and why where that is not plain. */
export function EndedRow({ run }: RowProps) {
  const why = run.missedReason === null ? run.endedBecause : whyMissed(run.missedReason)
  return (
    <li className={classes.row}>
      <Name run={run} />
      {why !== null && <span className={classes.why}>{why}</span>}
      <span className={classes.when}>
        {run.endedAt !== null && <Instant at={run.endedAt} zone={run.timeZone} />}
        <HealthChip health={run.health} stalledSince={run.stalledSince} />
        <StatusChip status={run.status} />
      </span>
    </li>
  )
}

/** A run of any status, with what there is to say of it. */
export function RunRow({ run }: RowProps) {
  const { status, missedReason, waitingOn } = run
  const why = missedReason !== null ? whyMissed(missedReason) : (run.endedBecause ?? waitingOn?.description ?? null)
  return (
    <li className={classes.row}>
      <Name run={run} />
      {why !== null && status !== 'SCHEDULED' && <span className={classes.why}>{why}</span>}
      <span className={classes.when}>
        <Instant at={run.startedAt ?? run.scheduledFor} zone={run.timeZone} />
        {run.cleanupStatus === 'INCOMPLETE' && <Chip tone="bad">Cleanup incomplete</Chip>}
        <HealthChip health={run.health} stalledSince={run.stalledSince} />
        <StatusChip status={status} />
      </span>
    </li>
  )
}

/** A run that has ended and left in the world what could not be taken back. */
export function UnresolvedRow({ run }: RowProps) {
  const count = run.unresolvedResources
  return (
    <li className={classes.row}>
      <Name run={run} />
      <span className={classes.why}>
        {count === 1 ? '1 thing' : `${count} things`} could not be taken back: open the run and try again.
      </span>
      <span className={classes.when}>
        <Chip tone="bad">Cleanup incomplete</Chip>
      </span>
    </li>
  )
}

function Name({ run }: RowProps) {
  return (
    <span className={classes.rowName}>
      <Link to="/runs/$runId" params={{ runId: run.id }}>
        {run.definition.title}
      </Link>
      {run.scope !== '' && (
        <span className={classes.scope}>
          {' '}
          in <bdi>{run.scope}</bdi>
        </span>
      )}{' '}
      {run.rehearsal && <RehearsalChip />}
    </span>
  )
}
