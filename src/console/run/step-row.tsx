import { Button, Collapse, UnstyledButton } from '@mantine/core'
import {
  IconBan,
  IconCircle,
  IconCircleCheck,
  IconCircleX,
  IconHandStop,
  IconLoader,
  IconPlayerSkipForward,
  IconShieldX,
} from '@tabler/icons-react'
import { useId, useState } from 'react'
import type { PlannedPhaseFragment, RunStepFragment } from '../../generated/console/documents.ts'
import { useConnection } from '../api/connection-context.ts'
import { skipControl } from '../cues/skip-control.ts'
import { showTook } from '../time/clock-text.ts'
import { Countdown } from '../time/countdown.tsx'
import { Elapsed } from '../time/elapsed.tsx'
import { Instant } from '../time/instant.tsx'
import { useNow } from '../time/now.ts'
import { useStepName } from '../ui/action-names.tsx'
import { useAsk } from '../ui/control-host.tsx'
import { retryControl } from './run-controls.ts'
import classes from './rundown.module.css'

const STATES = {
  PENDING: { word: 'Pending', icon: IconCircle },
  RUNNING: { word: 'Running', icon: IconLoader },
  PARKED: { word: 'Waits for a person', icon: IconHandStop },
  DONE: { word: 'Done', icon: IconCircleCheck },
  FAILED: { word: 'Failed', icon: IconCircleX },
  REFUSED: { word: 'Refused', icon: IconShieldX },
  SKIPPED: { word: 'Skipped', icon: IconPlayerSkipForward },
  CANCELLED: { word: 'Cancelled', icon: IconBan },
} as const

type StepRowProps = { step: RunStepFragment; timeZone: string; onChange(): void }

/** A step: how far it has got, how long it took, what went wrong, what may be done; the rest on a click. */
export function StepRow({ step, timeZone, onChange }: StepRowProps) {
  const { client } = useConnection()
  const ask = useAsk()
  const [isOpen, setOpen] = useState(false)
  const detailId = useId()
  const state = step.parked ? 'PARKED' : step.status
  const { word, icon: Icon } = STATES[state]
  const title = useStepName()(step)
  const canSkip = step.allowedControls.includes('SKIP') && !step.parked
  return (
    <li className={classes.step} data-status={state}>
      <div className={classes.stepLine}>
        <UnstyledButton
          className={classes.stepName}
          aria-expanded={isOpen}
          aria-controls={detailId}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon size={20} className={classes.sign} aria-hidden />
          <span>
            <bdi>{title}</bdi>
            <span className={classes.hidden}>: {word}</span>
          </span>
        </UnstyledButton>
        <span className={classes.stepEnd}>
          {step.attempts > 1 && <span>attempt {step.attempts}</span>}
          {state !== 'PENDING' && state !== 'DONE' && <strong className={classes.word}>{word}</strong>}
          <StepTime step={step} />
          {step.allowedControls.includes('RETRY') && (
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => ask(retryControl(client, { id: step.id, title }), onChange)}
            >
              Retry …
            </Button>
          )}
          {canSkip && (
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => ask(skipControl(client, { id: step.id, title }), onChange)}
            >
              Skip …
            </Button>
          )}
        </span>
      </div>
      {step.lastError !== null && <p className={classes.error}>{step.lastError}</p>}
      {step.note !== null && (
        <p className={classes.note}>
          “<bdi>{step.note}</bdi>”
        </p>
      )}
      <Collapse expanded={isOpen} id={detailId}>
        <dl className={classes.detail}>
          <dt>Action</dt>
          <dd>
            <code>{step.actionId}</code>, step {step.seq + 1} of its phase
          </dd>
          <dt>If it fails</dt>
          <dd>{ON_FAILURE[step.onFailure]}</dd>
          {step.startedAt !== null && (
            <>
              <dt>Called</dt>
              <dd>
                <Instant at={step.startedAt} zone={timeZone} />
              </dd>
            </>
          )}
          {step.finishedAt !== null && (
            <>
              <dt>Ended</dt>
              <dd>
                <Instant at={step.finishedAt} zone={timeZone} />
              </dd>
            </>
          )}
          <dt>Params</dt>
          <dd>
            <pre className={classes.params}>{JSON.stringify(step.params, null, 2)}</pre>
          </dd>
        </dl>
      </Collapse>
    </li>
  )
}

const ON_FAILURE = {
  SKIP: 'the run goes on',
  PAUSE: 'the run is paused',
  ABORT_RUN: 'the run fails',
} as const

function StepTime({ step }: { step: RunStepFragment }) {
  const { startedAt, finishedAt, dueAt, status } = step
  const now = useNow()
  if (status === 'PENDING' && dueAt !== null && Date.parse(dueAt) > now)
    return <Countdown until={dueAt} what="goes on" />
  if (startedAt === null) return null
  if (status === 'RUNNING') return <Elapsed since={startedAt} />
  return finishedAt === null ? null : <span>{showTook(Date.parse(finishedAt) - Date.parse(startedAt))}</span>
}

/** A step of a phase that is not entered yet. */
export function PlannedStep({ step, seq }: { step: PlannedPhaseFragment['steps'][number]; seq: number }) {
  const stepName = useStepName()
  return (
    <li className={classes.step} data-status="AHEAD">
      <div className={classes.stepLine}>
        <span className={classes.stepName}>
          <IconCircle size={20} className={classes.sign} aria-hidden />
          {stepName(step)}
        </span>
        <span className={classes.hidden}>step {seq + 1}, ahead</span>
      </div>
    </li>
  )
}
