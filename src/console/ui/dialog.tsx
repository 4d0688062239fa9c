import { Button, Modal } from '@mantine/core'
import type { ReactNode } from 'react'

type DialogProps = {
  opened: boolean
  title?: string | undefined
  /** Its request is under way: it stays until it can say what became of that. */
  isBusy: boolean
  /** False: by its own buttons alone, as what it shows is lost then. */
  isEasyToLeave?: boolean
  size?: 'lg'
  onClose(): void
  children: ReactNode
}

/** Asks for something before it is done, over the page. */
export function Dialog({ opened, title, isBusy, isEasyToLeave = true, size, onClose, children }: DialogProps) {
  const mayLeave = isEasyToLeave && !isBusy
  return (
    <Modal.Root
      opened={opened}
      onClose={onClose}
      closeOnClickOutside={mayLeave}
      closeOnEscape={mayLeave}
      centered
      {...(size === undefined ? {} : { size })}
      transitionProps={{ duration: 100 }}
    >
      <Modal.Overlay />
      <Modal.Content>
        <Modal.Body pt="md">
          {title !== undefined && (
            <Modal.Title fz="lg" fw={650} mb="xs">
              {title}
            </Modal.Title>
          )}
          {children}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}

/** Leaves a dialog, and nothing is done. */
export function LeaveButton({ isBusy, onClose }: { isBusy: boolean; onClose(): void }) {
  return (
    <Button variant="default" size="md" disabled={isBusy} onClick={onClose}>
      Leave it
    </Button>
  )
}

/** Of a form in a dialog: whether its request is under way, which the dialog has to know. */
export type Busy = { isBusy: boolean; setBusy(isBusy: boolean): void }
