import { IconHandStop } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { NowQuery } from '../../generated/console/documents.ts'
import { Countdown } from '../time/countdown.tsx'
import { Elapsed } from '../time/elapsed.tsx'
import { Instant } from '../time/instant.tsx'
import { Chip } from '../ui/chip.tsx'
import { HealthChip, RehearsalChip, StatusChip } from '../ui/run-status.tsx'
import classes from './now.module.css'

type LiveRunProps = { run: NowQuery['live']['edges'][number]['node'] }

/** A run that goes on: where it is, what it waits for, and until when. */
export function LiveRun({ run }: LiveRunProps) {
  const { definition, scope, status, health, stalledSince, rehearsal, waitingOn, waitingCues, startedAt } = run
  const { phases } = run.version.spec
  const index = phases.findIndex(({ key }) => key === run.currentPhase)
  const until = waitingOn?.until ?? null
  return (
    <article className={classes.card} data-trouble={health !== 'OK' || undefined}>
      <div className={classes.head}>
        <h3 className={classes.name}>
          <Link to="/runs/$runId" params={{ runId: run.id }} className={classes.link}>
            {definition.title}
          </Link>
          {scope !== '' && (
            <span className={classes.scope}>
              {' '}
              in <bdi>{scope}</bdi>
            </span>
          )}
        </h3>
        <span className={classes.chips}>
          {rehearsal && <RehearsalChip />}
          {waitingCues > 0 && (
            <Chip tone="wait" icon={IconHandStop}>
              {waitingCues === 1 ? 'Cue' : `${waitingCues} cues`}
            </Chip>
          )}
          <HealthChip health={health} stalledSince={stalledSince} />
          <StatusChip status={status} />
        </span>
      </div>
      <div className={classes.middle}>
        <p className={classes.waiting}>{waitingOn?.description ?? ''}</p>
        {until !== null && (
          <Countdown until={until} what={waitingOn?.kind === 'START' ? 'starts' : 'goes on'} size="large" />
        )}
      </div>
      <div className={classes.progress}>
        <ol className={classes.phases} aria-label="Phases">
          {phases.map(({ key, label }, at) => (
            <li key={key} data-state={at < index ? 'done' : at === index ? 'current' : 'ahead'} title={label}>
              <span className={classes.hidden}>
                <bdi>{label}</bdi>
                {at < index ? ', done' : at === index ? ', now' : ''}
              </span>
            </li>
          ))}
        </ol>
        <p className={classes.phase}>
          {index < 0
            ? `${phases.length} phases ahead`
            : `${index + 1} of ${phases.length}: ${phases[index]?.label ?? ''}`}
          {startedAt !== null && (
            <span className={classes.started}>
              Run started <Instant at={startedAt} zone={run.timeZone} />, <Elapsed since={startedAt} /> ago
            </span>
          )}
        </p>
      </div>
    </article>
  )
}
