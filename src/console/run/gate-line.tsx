import { Progress } from '@mantine/core'
import { IconDoor, IconDoorOff } from '@tabler/icons-react'
import type { PlannedPhaseFragment, RunGateFragment } from '../../generated/console/documents.ts'
import { showTook } from '../time/clock-text.ts'
import { Countdown } from '../time/countdown.tsx'
import { Elapsed } from '../time/elapsed.tsx'
import { Instant } from '../time/instant.tsx'
import { Chip } from '../ui/chip.tsx'
import classes from './rundown.module.css'

type GateLineProps = { gate: RunGateFragment; timeZone: string; isOver: boolean }

/** A gate in the server's words, with its tally, and how long it was waited for. */
export function GateLine({ gate, timeZone, isOver }: GateLineProps) {
  const { description, tally, needed, openedAt, opensAt, enteredAt, stalled, reason } = gate
  const isWaited = openedAt === null && !isOver
  return (
    <div className={classes.gate} data-open={openedAt !== null || undefined}>
      <IconDoor size={20} className={classes.sign} aria-hidden />
      <div className={classes.gateText}>
        <p>{description}</p>
        {tally !== null && needed !== null && (
          <div className={classes.tally}>
            <Progress value={Math.min(100, (tally / needed) * 100)} aria-label="Counted" className={classes.bar} />
            <strong>
              {tally} of {needed}
            </strong>
          </div>
        )}
        {openedAt !== null && (
          <p className={classes.dim}>
            {opener(gate)} <Instant at={openedAt} zone={timeZone} />, after {showTook(gate.waitedSeconds * 1000)}
            {reason !== null && (
              <>
                : “<bdi>{reason}</bdi>”
              </>
            )}
          </p>
        )}
      </div>
      <span className={classes.stepEnd}>
        {stalled && <Chip tone="bad">Stalled</Chip>}
        {isWaited && (opensAt !== null ? <Countdown until={opensAt} what="opens" /> : <Elapsed since={enteredAt} />)}
        {openedAt !== null && <Chip tone="calm">Open</Chip>}
      </span>
    </div>
  )
}

function opener({ openedBy, openedByActor, trigger }: RunGateFragment): string {
  if (openedBy === 'FORCED') return `${openedByActor?.name ?? 'Somebody'} forced it open`
  return openedBy === 'TRIGGER' ? `${trigger ?? 'The trigger'} opened it` : 'Its time came'
}

/** The gate of a phase that is not entered yet. */
export function PlannedGate({ gate }: { gate: NonNullable<PlannedPhaseFragment['advance']> }) {
  return (
    <div className={classes.gate} data-open>
      <IconDoorOff size={20} className={classes.sign} aria-hidden />
      <p className={classes.gateText}>
        {gate.__typename === 'AfterGateSpec' ? (
          <>Lasts at least {gate.after}.</>
        ) : (
          <>
            Until {gate.on} has happened
            {gate.count > 1 ? ` ${gate.count} times` : ''}
            {gate.phrase !== null && `, where ${gate.phrase}`}.
          </>
        )}
      </p>
    </div>
  )
}
