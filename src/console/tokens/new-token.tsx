import { Button, CopyButton, Group, Stack, TextInput } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import type { Role } from '../../generated/console/documents.ts'
import { Notice } from '../ui/notice.tsx'
import classes from './tokens.module.css'

/** Browsers copy for a page that came by https or from this machine itself, and for no other. */
const isCopyable = 'clipboard' in navigator

/** A token that was just made, while it can be seen: that of a calendar as the address to subscribe to. */
export function NewToken({ token, role, onClose }: { token: string; role: Role; onClose(): void }) {
  const isCalendar = role === 'CALENDAR'
  const secret = isCalendar ? `${window.location.origin}/calendar.ics?secret=${encodeURIComponent(token)}` : token
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
            ? `Subscribe to it in a calendar, in Google Calendar under “From URL”. Who has it has the calendar. It has to reach ${window.location.host} from where it is: write the address that others reach this server at in its place where that is another.`
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
