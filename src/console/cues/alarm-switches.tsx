import { Button, Group, Switch, Text } from '@mantine/core'
import { IconVolume } from '@tabler/icons-react'
import { useState } from 'react'
import { useSignal } from '../api/signal.ts'
import { alarmSettings, setAlarm } from './alarm-settings.ts'
import { chime } from './chime.ts'
import { askToNotify, canNotify } from './notify.ts'

/** How a new cue makes itself known on this device. */
export function AlarmSwitches() {
  const { sound, notification } = useSignal(alarmSettings)
  const [denied, setDenied] = useState(false)

  const switchNotification = async (wanted: boolean) => {
    const granted = wanted && (await askToNotify())
    setDenied(wanted && !granted)
    setAlarm({ notification: granted })
  }

  return (
    <div>
      <Group gap="lg">
        <Switch label="Sound" checked={sound} onChange={(event) => setAlarm({ sound: event.currentTarget.checked })} />
        <Switch
          label="Notification"
          checked={notification}
          disabled={!canNotify()}
          onChange={(event) => void switchNotification(event.currentTarget.checked)}
        />
        <Button
          variant="default"
          size="xs"
          leftSection={<IconVolume size={16} aria-hidden />}
          onClick={() => chime()}
          disabled={!sound}
        >
          Try the sound
        </Button>
      </Group>
      {!canNotify() && (
        <Text fz="sm" c="dimmed" mt={6}>
          This browser shows notifications only for an https address.
        </Text>
      )}
      {denied && (
        <Text fz="sm" c="var(--bad)" mt={6} role="alert">
          The browser does not allow notifications of this page; allow them in its settings for this site.
        </Text>
      )}
    </div>
  )
}
