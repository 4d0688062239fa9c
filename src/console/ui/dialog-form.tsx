import { Button, Group, Stack } from '@mantine/core'
import type { FormEvent, ReactNode } from 'react'
import { LeaveButton } from './dialog.tsx'
import { Notice } from './notice.tsx'

type DialogFormProps = {
  /** What the button says. */
  action: string
  color?: 'blue' | 'go' | 'stop'
  /** Why it was not done, where no field says so. */
  problem: string | null
  isBusy: boolean
  onSubmit(): Promise<void>
  onClose(): void
  children: ReactNode
}

/** A form in a dialog: its fields, what went wrong, and the buttons that leave it or do it. */
export function DialogForm({ action, color = 'blue', problem, isBusy, onSubmit, onClose, children }: DialogFormProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void onSubmit()
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {children}
        {problem !== null && <Notice tone="bad">{problem}</Notice>}
        <Group justify="flex-end">
          <LeaveButton isBusy={isBusy} onClose={onClose} />
          <Button type="submit" size="md" color={color} loading={isBusy}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
