import { Button, Textarea } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconCheck, IconHandGrab, IconMessagePlus, IconUser } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { ClaimCueDocument, ConfirmCueDocument, type CueCardFragment } from '../../generated/console/documents.ts'
import { act, messageOf, type Outcome } from '../api/act.ts'
import { useConnection } from '../api/connection-context.ts'
import { useViewer } from '../session/viewer-context.ts'
import { Elapsed } from '../time/elapsed.tsx'
import { Instant } from '../time/instant.tsx'
import { useStepName } from '../ui/action-names.tsx'
import { Chip } from '../ui/chip.tsx'
import { useAsk } from '../ui/control-host.tsx'
import { doneNotice } from '../ui/done-notice.tsx'
import { Notice } from '../ui/notice.tsx'
import { RehearsalChip } from '../ui/run-status.tsx'
import classes from './cues.module.css'
import { skipControl } from './skip-control.ts'

type CueCardProps = {
  cue: CueCardFragment
  /** Something was done to it, or it was not as shown. */
  onChange(): void
  /** Of its heading, by what it stands under. */
  level: 2 | 3
  /** In the run that it belongs to, whose name is on the page already. */
  withinRun?: boolean
}

/** A cue: what to do, who has it, and what to press. */
export function CueCard({ cue, onChange, level, withinRun = false }: CueCardProps) {
  const { client } = useConnection()
  const { name } = useViewer()
  const [busy, setBusy] = useState<'claim' | 'confirm' | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [note, setNote] = useState<string | null>(null)
  const ask = useAsk()
  const titleId = useId()
  const { id, instruction, claimedBy, parkedAt, run, step } = cue
  const Heading = `h${level}` as const
  const may = new Set(step.allowedControls)
  const isMine = claimedBy?.name === name
  const label = useStepName()(step)

  /** The card is gone once it is done, so that what came of it is told apart from it. */
  const tell = (outcome: Outcome<unknown>, done: string | null) => {
    setBusy(null)
    if (outcome.kind === 'unknown') return setProblem(outcome.message)
    setProblem(null)
    onChange()
    if (outcome.kind === 'refused') {
      notifications.show({ title: label, message: messageOf(outcome.refusal), color: 'red', autoClose: 12_000 })
    } else if (done !== null) {
      notifications.show(doneNotice(done))
    }
  }

  const claim = async (takeOver: boolean) => {
    setBusy('claim')
    tell(await act(client, ClaimCueDocument, { input: { id, takeOver } }), null)
  }
  const confirm = async () => {
    setBusy('confirm')
    const said = note?.trim() ? { note: note.trim() } : {}
    tell(await act(client, ConfirmCueDocument, { input: { id, ...said } }), `Done: ${label}`)
  }

  return (
    <article className={classes.card} aria-labelledby={titleId}>
      <div className={classes.meta}>
        {!withinRun && (
          <Link to="/runs/$runId" params={{ runId: run.id }} className={classes.run}>
            {run.definition.title}
          </Link>
        )}
        {run.scope !== '' && !withinRun && (
          <span>
            in <bdi>{run.scope}</bdi>
          </span>
        )}
        <bdi>{label}</bdi>
        <span className={classes.waits}>
          <span className={classes.since}>
            since <Instant at={parkedAt} zone={run.timeZone} />
          </span>
          <span className={classes.waiting}>
            <Elapsed since={parkedAt} />
          </span>
        </span>
      </div>
      <Heading className={classes.instruction} id={titleId}>
        {instruction}
      </Heading>
      <div className={classes.who} aria-live="polite">
        {claimedBy === null ? (
          <Chip tone="wait" icon={IconUser}>
            Nobody has it yet
          </Chip>
        ) : (
          <Chip tone={isMine ? 'live' : 'info'} icon={IconHandGrab}>
            {isMine ? (
              'You have it'
            ) : (
              <>
                <bdi>{claimedBy.name}</bdi> has it
              </>
            )}
          </Chip>
        )}
        {run.rehearsal && <RehearsalChip />}
      </div>
      {problem !== null && (
        <div className={classes.problem}>
          <Notice tone="bad" title="Not known to be done">
            {problem} What you wrote is kept.
          </Notice>
        </div>
      )}
      {note !== null && (
        <Textarea
          label="Note"
          description="Kept with the step and in the log."
          autosize
          minRows={2}
          maxRows={6}
          size="md"
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
          className={classes.note}
          data-autofocus
          autoFocus
        />
      )}
      {may.has('CONFIRM') ? (
        <div className={classes.buttons}>
          <div className={classes.lesser}>
            {may.has('CLAIM') && claimedBy === null && (
              <Button variant="default" size="md" loading={busy === 'claim'} onClick={() => void claim(false)}>
                I have it
              </Button>
            )}
            {may.has('TAKE_OVER') && claimedBy !== null && !isMine && (
              <Button variant="default" size="md" loading={busy === 'claim'} onClick={() => void claim(true)}>
                Take over
              </Button>
            )}
            {note === null && (
              <Button
                variant="default"
                size="md"
                leftSection={<IconMessagePlus size={18} aria-hidden />}
                onClick={() => setNote('')}
              >
                Note
              </Button>
            )}
            {may.has('SKIP') && (
              <Button
                variant="default"
                size="md"
                onClick={() => ask(skipControl(client, { id: step.id, title: label }), onChange)}
              >
                Skip …
              </Button>
            )}
          </div>
          <Button
            color="go"
            size="xl"
            className={classes.done}
            leftSection={<IconCheck size={26} aria-hidden />}
            loading={busy === 'confirm'}
            onClick={() => void confirm()}
          >
            Done
          </Button>
        </div>
      ) : (
        <p className={classes.onlooker}>You look on: a moderator or an admin does this.</p>
      )}
    </article>
  )
}
