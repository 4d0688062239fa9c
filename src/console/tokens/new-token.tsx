import { Button, CopyButton, Group, Stack, TextInput } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { Notice } from '../ui/notice.tsx'
import classes from './tokens.module.css'

/** Browsers copy for a page that came by https or from this machine itself, and for no other. */
const isCopyable = 'clipboard' in navigator

/** A token that was just made, while it can be seen. */
export function NewToken({ token, onClose }: { token: string; onClose(): void }) {
  return (
    <Stack>
      <Notice tone="wait" title="It is shown this once">
        Cuelight keeps only its hash: nobody can show it again. Copy it now, and hand it on by a way that others do not
        read.
      </Notice>
      <TextInput
        label="Token"
        value={token}
        readOnly
        size="md"
        classNames={{ input: classes.secret ?? '' }}
        onFocus={(event) => event.currentTarget.select()}
      />
      <Group justify="flex-end">
        {isCopyable && (
          <CopyButton value={token}>
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
