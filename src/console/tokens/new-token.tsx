import { Button, CopyButton, Group, Stack, TextInput } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import type { Role } from '../../generated/console/documents.ts'
import { Notice } from '../ui/notice.tsx'
import classes from './tokens.module.css'

const NOT_SET = ` It has to reach ${window.location.host} from where it is: write the address that others reach this server at in its place where that is another, or have CUELIGHT_PUBLIC_URL set to it.`

/** Browsers copy for a page that came by https or from this machine itself, and for no other. */
const isCopyable = 'clipboard' in navigator

type NewTokenProps = {
  token: string
  role: Role
  /** Of a calendar, where the server knows what it is reached at. */
  calendarAddress: string | null
  onClose(): void
}

/** A token that was just made, while it can be seen: that of a calendar as the address to subscribe to. */
export function NewToken({ token, role, calendarAddress, onClose }: NewTokenProps) {
  const isCalendar = role === 'CALENDAR'
  // Where the server does not know what it is reached at, it is reached at this at least.
  const here = `${window.location.origin}/calendar.ics?secret=${encodeURIComponent(token)}`
  const secret = isCalendar ? (calendarAddress ?? here) : token
  return (
    <Stack>
      <Notice tone="wait" title="It is shown this once">
        Cuelight keeps only its hash: nobody can show it again. Copy it now, and hand it on by a way that others do not
        read.
      </Notice>
      <TextInput
        label={isCalendar ? 'Address of the calendar' : 'Token'}
        description={
          isCalendar
            ? `Subscribe to it in a calendar, in Google Calendar under “From URL”. Who has it has the calendar.${calendarAddress === null ? NOT_SET : ''}`
            : null
        }
        value={secret}
        readOnly
        size="md"
        classNames={{ input: classes.secret ?? '' }}
        onFocus={(event) => event.currentTarget.select()}
      />
      <Group justify="flex-end">
        {isCopyable && (
          <CopyButton value={secret}>
            {({ copied, copy }) => (
              <Button
                size="md"
                onClick={copy}
                leftSection={copied ? <IconCheck size={18} aria-hidden /> : <IconCopy size={18} aria-hidden />}
                data-autofocus
              >
                {copied ? 'Copied' : 'Copy it'}
              </Button>
            )}
          </CopyButton>
        )}
        <Button variant="default" size="md" onClick={onClose}>
          I have kept it
        </Button>
      </Group>
    </Stack>
  )
}
