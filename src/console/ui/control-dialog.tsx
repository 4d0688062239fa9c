import { Button, Group, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import type { RefusalFragment } from '../../generated/console/documents.ts'
import { messageOf } from '../api/act.ts'
import { fromLocalField, toLocalField } from '../time/local-field.ts'
import type { Control } from './control.ts'
import { type Busy, Dialog } from './dialog.tsx'
import { DialogForm } from './dialog-form.tsx'
import { doneNotice } from './done-notice.tsx'
import { InstantField } from './instant-field.tsx'
import { Notice } from './notice.tsx'
import { ReasonField } from './reason-field.tsx'

type ControlDialogProps = {
  /** Null: none is asked for, and nothing is shown. */
  control: Control | null
  onClose(): void
  /** It was done, or was not possible any more: what is shown has to be read again. */
  onChange(): void
}

/** Says what a control will do and asks why, before it does it; and who was first where it came too late. */
export function ControlDialog({ control, onClose, onChange }: ControlDialogProps) {
  const [isBusy, setBusy] = useState(false)
  return (
    <Dialog opened={control !== null} title={control?.title} isBusy={isBusy} onClose={onClose}>
      {control !== null && <ControlForm {...{ control, isBusy, setBusy, onClose, onChange }} />}
    </Dialog>
  )
}

function ControlForm({
  control,
  isBusy,
  setBusy,
  onClose,
  onChange,
}: ControlDialogProps & Busy & { control: Control }) {
  const { effect, action, color = 'blue', isReasonRequired = false, reasonKeptIn = 'log', instant } = control
  const [reason, setReason] = useState('')
  const filled = instant?.value ?? null
  const [at, setAt] = useState(filled === null ? '' : toLocalField(filled))
  const [missing, setMissing] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const [conflict, setConflict] = useState<RefusalFragment | null>(null)
  const chosen = fromLocalField(at, filled)

  const submit = async () => {
    if (isReasonRequired && reason.trim() === '') return setMissing(true)
    if (instant !== undefined && chosen === null) return setProblem('Choose a day and a time.')
    setBusy(true)
    setProblem(null)
    const outcome = await control.perform({ reason: reason.trim(), instant: chosen ?? '' })
    setBusy(false)
    if (outcome.kind === 'unknown') return setProblem(outcome.message)
    onChange()
    if (outcome.kind === 'done') {
      if (control.done !== undefined) notifications.show(doneNotice(control.done))
      return onClose()
    }
    if (outcome.refusal.code === 'INVALID_INPUT') return setProblem(messageOf(outcome.refusal))
    setConflict(outcome.refusal)
  }

  if (conflict !== null) {
    const wasFirst = conflict.__typename === 'ConflictError' && conflict.lastControl !== null
    return (
      <Stack>
        <Notice tone="wait" title={wasFirst ? 'Somebody was first' : 'Not possible any more'}>
          {messageOf(conflict)}
        </Notice>
        <Text>Nothing was changed by you. The page shows how it is now.</Text>
        <Group justify="flex-end">
          <Button size="md" onClick={onClose} data-autofocus>
            Close
          </Button>
        </Group>
      </Stack>
    )
  }
  return (
    <DialogForm action={action} color={color} problem={problem} isBusy={isBusy} onSubmit={submit} onClose={onClose}>
      <Text>{effect}</Text>
      {instant !== undefined && (
        <InstantField label={instant.label} value={at} filled={filled} zone={instant.zone} onChange={setAt} hasFocus />
      )}
      {reasonKeptIn !== null && (
        <ReasonField
          value={reason}
          keptIn={reasonKeptIn}
          isRequired={isReasonRequired}
          isMissing={missing}
          isFirst={instant === undefined}
          onChange={(text) => {
            setReason(text)
            setMissing(false)
          }}
        />
      )}
    </DialogForm>
  )
}
