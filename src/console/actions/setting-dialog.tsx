import { NumberInput, Switch } from '@mantine/core'
import { useState } from 'react'
import { type RegisteredActionFragment, SetActionSettingDocument } from '../../generated/console/documents.ts'
import { act, messageOf } from '../api/act.ts'
import { useConnection } from '../api/connection-context.ts'
import { type Busy, Dialog } from '../ui/dialog.tsx'
import { DialogForm } from '../ui/dialog-form.tsx'
import { ReasonField } from '../ui/reason-field.tsx'
import { capOf, capsOf } from './action-words.ts'

type SettingDialogProps = { action: RegisteredActionFragment; opened: boolean; onClose(): void; onChange(): void }

/** Asks what is allowed of an action, and why. */
export function SettingDialog({ action, opened, onClose, onChange }: SettingDialogProps) {
  const [isBusy, setBusy] = useState(false)
  return (
    <Dialog opened={opened} title={`Setting of "${action.label}"`} isBusy={isBusy} onClose={onClose}>
      <SettingForm {...{ action, isBusy, setBusy, onClose, onChange }} />
    </Dialog>
  )
}

function SettingForm({ action, isBusy, setBusy, onClose, onChange }: Omit<SettingDialogProps, 'opened'> & Busy) {
  const { client } = useConnection()
  // What stands in the form is what is sent, whatever somebody else sets meanwhile.
  const [before] = useState(() => ({ enabled: action.setting.enabled, caps: capsOf(action) }))
  const [enabled, setEnabled] = useState(before.enabled)
  const [caps, setCaps] = useState(before.caps)
  /** What was written as a cap and is none, by its dimension. */
  const [unread, setUnread] = useState<Readonly<Record<string, string>>>({})
  const [reason, setReason] = useState('')
  const [isMissing, setMissing] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)

  const submit = async () => {
    if (Object.keys(unread).length > 0) return
    const changed = caps.filter(({ cap }, index) => cap !== before.caps[index]?.cap)
    if (enabled === before.enabled && changed.length === 0) return setProblem('Nothing is changed yet.')
    if (reason.trim() === '') return setMissing(true)
    setBusy(true)
    setProblem(null)
    const input = {
      actionId: action.id,
      ...(enabled === before.enabled ? {} : { enabled }),
      ...(changed.length === 0 ? {} : { caps: changed }),
      reason: reason.trim(),
    }
    const outcome = await act(client, SetActionSettingDocument, { input })
    setBusy(false)
    if (outcome.kind === 'unknown') return setProblem(outcome.message)
    onChange()
    if (outcome.kind === 'refused') return setProblem(messageOf(outcome.refusal))
    onClose()
  }

  return (
    <DialogForm
      action={before.enabled && !enabled ? 'Switch it off' : 'Set it'}
      color={before.enabled && !enabled ? 'stop' : 'blue'}
      problem={problem}
      isBusy={isBusy}
      onSubmit={submit}
      onClose={onClose}
    >
      <Switch
        size="md"
        label="It may be called"
        description="Off: steps that call it are refused from the next one on, in runs that go on too."
        checked={enabled}
        onChange={(event) => setEnabled(event.currentTarget.checked)}
      />
      {caps.map(({ dimension, cap }, index) => (
        <NumberInput
          key={dimension}
          label={`The most ${dimension} that one run may cause`}
          description="Empty: counted, not capped. A run that goes on keeps the caps that it started with."
          size="md"
          min={0}
          allowDecimal={false}
          thousandSeparator=","
          value={unread[dimension] ?? cap ?? ''}
          error={unread[dimension] === undefined ? null : 'Give a whole number, or leave it empty.'}
          onChange={(value) => {
            const read = capOf(value)
            setUnread(({ [dimension]: _, ...others }) =>
              read === undefined ? { ...others, [dimension]: String(value) } : others,
            )
            if (read !== undefined) setCaps(caps.with(index, { dimension, cap: read }))
          }}
        />
      ))}
      <ReasonField
        value={reason}
        keptIn="audit log"
        isRequired
        isMissing={isMissing}
        onChange={(text) => {
          setReason(text)
          setMissing(false)
        }}
      />
    </DialogForm>
  )
}
