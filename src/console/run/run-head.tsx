import { Button, Title } from '@mantine/core'
import type { RunConsoleFragment } from '../../generated/console/documents.ts'
import { useConnection } from '../api/connection-context.ts'
import { Countdown } from '../time/countdown.tsx'
import { Elapsed } from '../time/elapsed.tsx'
import { Instant } from '../time/instant.tsx'
import { Chip } from '../ui/chip.tsx'
import { useAsk } from '../ui/control-host.tsx'
import { HealthChip, RehearsalChip, StatusChip, whyMissed } from '../ui/run-status.tsx'
import classes from './run.module.css'
import { RUN_CONTROLS, runControl } from './run-controls.ts'

type RunHeadProps = { run: RunConsoleFragment; onChange(): void }

/** What the run is, how it goes, why nothing happens right now, and what may be done. */
export function RunHead({ run, onChange }: RunHeadProps) {
  const { client } = useConnection()
  const ask = useAsk()
  const { waitingOn } = run
  const offered = RUN_CONTROLS.filter(({ control }) => run.allowedControls.includes(control))
  return (
    <div className={classes.headBox}>
      <div className={classes.headTop}>
        <Title order={1} fz="h2" className={classes.title}>
          <bdi>{run.definition.title}</bdi>
          {run.scope !== '' && (
            <span className={classes.dim}>
              {' '}
              in <bdi>{run.scope}</bdi>
            </span>
          )}
        </Title>
        <span className={classes.chips}>
          {run.rehearsal && <RehearsalChip />}
          <HealthChip health={run.health} stalledSince={run.stalledSince} />
          {run.cleanupStatus === 'INCOMPLETE' && <Chip tone="bad">Cleanup incomplete</Chip>}
          {run.cleanupStatus === 'PENDING' && <Chip tone="info">Cleaning up</Chip>}
          <StatusChip status={run.status} />
        </span>
      </div>
      <div className={classes.headMiddle}>
        <div>
          <p className={classes.waiting} aria-live="polite">
            {waitingOn === null ? howItEnded(run) : waitingText(waitingOn, run)}
          </p>
          <p className={classes.times}>
            <Times run={run} />
          </p>
        </div>
        {waitingOn?.until != null && (
          <Countdown until={waitingOn.until} what={waitingOn.kind === 'START' ? 'starts' : 'goes on'} size="large" />
        )}
      </div>
      {run.lastError !== null && !(waitingOn?.description ?? '').includes(run.lastError) && (
        <p className={classes.error}>{run.lastError}</p>
      )}
      {offered.length > 0 && (
        <section className={classes.controls} aria-label="Controls of the run">
          {offered.map(({ control, label }) => (
            <Button
              key={control}
              variant={control === 'RESUME' ? 'filled' : 'default'}
              {...(control === 'RESUME' ? { color: 'go' } : {})}
              className={control === 'CANCEL' ? classes.cancel : undefined}
              size="md"
              onClick={() => ask(runControl(client, run, control), onChange)}
            >
              {label} …
            </Button>
          ))}
        </section>
      )}
    </div>
  )
}

/** What a cue asks for stands on its card, right below. */
function waitingText(
  { kind, description }: NonNullable<RunConsoleFragment['waitingOn']>,
  { cues }: RunConsoleFragment,
) {
  return kind === 'CUE' && cues.length > 0 ? 'Waits for a person to do what the cue says.' : description
}

function howItEnded(run: RunConsoleFragment): string {
  if (run.missedReason !== null) return `It was missed: ${whyMissed(run.missedReason)}.`
  if (run.endedBecause !== null) return run.endedBecause
  return run.status === 'COMPLETED' ? 'It is done.' : ''
}

function Times({ run }: { run: RunConsoleFragment }) {
  const { startedAt, scheduledFor, endedAt, startedBy, timeZone, source } = run
  const who = source === 'SCHEDULE' ? 'the schedule' : (startedBy?.name ?? 'somebody')
  if (startedAt === null) {
    return (
      <>
        {endedAt === null ? 'Starts' : 'Was to start'} <Instant at={scheduledFor} zone={timeZone} />, by{' '}
        <bdi>{who}</bdi>
      </>
    )
  }
  return (
    <>
      Started <Instant at={startedAt} zone={timeZone} /> by <bdi>{who}</bdi>
      {endedAt === null ? (
        <>
          , runs for <Elapsed since={startedAt} />
        </>
      ) : (
        <>
          , ended <Instant at={endedAt} zone={timeZone} />
        </>
      )}
    </>
  )
}
