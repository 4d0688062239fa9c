import { Radio, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { CreateApiTokenDocument, type Role } from '../../generated/console/documents.ts'
import { act, messageOf } from '../api/act.ts'
import { useConnection } from '../api/connection-context.ts'
import { ROLES } from '../session/roles.ts'
import { fromLocalField } from '../time/local-field.ts'
import { type Busy, Dialog } from '../ui/dialog.tsx'
import { DialogForm } from '../ui/dialog-form.tsx'
import { InstantField } from '../ui/instant-field.tsx'
import { NewToken } from './new-token.tsx'

type Made = { name: string; token: string; role: Role; calendarAddress: string | null }

type CreateDialogProps = { opened: boolean; onClose(): void; onChange(): void }

/** Makes a token, and shows it once: it is closed by its buttons alone then, as what is closed is lost. */
export function CreateDialog({ opened, onClose, onChange }: CreateDialogProps) {
  const [made, setMade] = useState<Made | null>(null)
  const [isBusy, setBusy] = useState(false)
  const close = () => {
    setMade(null)
    onClose()
  }
  return (
    <Dialog
      opened={opened}
      title={made === null ? 'Create a token' : `The token of "${made.name}"`}
      isBusy={isBusy}
      isEasyToLeave={made === null}
      onClose={close}
    >
      {made === null ? (
        <CreateForm
          isBusy={isBusy}
          setBusy={setBusy}
          onClose={close}
          onMade={(done) => {
            setMade(done)
            onChange()
          }}
        />
      ) : (
        <NewToken {...made} onClose={close} />
      )}
    </Dialog>
  )
}

type CreateFormProps = { onClose(): void; onMade(made: Made): void }

function CreateForm({ isBusy, setBusy, onClose, onMade }: CreateFormProps & Busy) {
  const { client } = useConnection()
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('VIEWER')
  const [expiry, setExpiry] = useState('')
  const [isMissing, setMissing] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)

  const submit = async () => {
    if (name.trim() === '') return setMissing(true)
    setBusy(true)
    setProblem(null)
    const expiresAt = fromLocalField(expiry)
    const input = { name: name.trim(), role, ...(expiresAt === null ? {} : { expiresAt }) }
    const outcome = await act(client, CreateApiTokenDocument, { input })
    setBusy(false)
    if (outcome.kind === 'unknown') {
      return setProblem(`${outcome.message} It may have been made all the same: look at the list, and revoke it then.`)
    }
    if (outcome.kind === 'refused') return setProblem(messageOf(outcome.refusal))
    const { apiToken, token, calendarAddress } = outcome.payload
    onMade({ name: apiToken.name, token, role, calendarAddress })
  }

  return (
    <DialogForm action="Create it" problem={problem} isBusy={isBusy} onSubmit={submit} onClose={onClose}>
      <TextInput
        label="Name"
        description="Who or what it is for: the logs call them so."
        placeholder="Mira, shard 1"
        size="md"
        required
        value={name}
        error={isMissing ? 'Say who or what it is for.' : null}
        onChange={(event) => {
          setName(event.currentTarget.value)
          setMissing(false)
        }}
        data-autofocus
      />
      <Radio.Group label="Role" value={role} onChange={(value) => setRole(value as Role)} size="md">
        <Stack gap={8} mt={4}>
          {ROLES.map((option) => (
            <Radio key={option.role} value={option.role} label={option.role} description={option.may} />
          ))}
        </Stack>
      </Radio.Group>
      <InstantField
        label="Holds until (if you like)"
        description="In the time zone of this device. Empty: until it is revoked."
        value={expiry}
        filled={null}
        zone={null}
        onChange={setExpiry}
      />
    </DialogForm>
  )
}
