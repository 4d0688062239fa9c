import { Button } from '@mantine/core'
import { IconPlugConnectedX, IconWifi, IconWifiOff } from '@tabler/icons-react'
import { useConnection } from '../api/connection-context.ts'
import { useSignal } from '../api/signal.ts'
import { Elapsed } from '../time/elapsed.tsx'
import { Chip } from '../ui/chip.tsx'
import classes from './shell.module.css'

/** How the connection is, always there to be seen. */
export function ConnectionSign() {
  const { kind } = useSignal(useConnection().state)
  if (kind === 'open') {
    return (
      <Chip tone="live" icon={IconWifi}>
        Live
      </Chip>
    )
  }
  return (
    <Chip tone={kind === 'connecting' ? 'calm' : 'bad'} icon={kind === 'broken' ? IconPlugConnectedX : IconWifiOff}>
      {kind === 'connecting' ? 'Connecting' : 'Offline'}
    </Chip>
  )
}

/** Says that the connection is gone and what that means; it takes itself away. */
export function ConnectionBanner() {
  const state = useSignal(useConnection().state)
  return (
    <div role="status" aria-live="assertive">
      {state.kind === 'lost' && (
        <p className={classes.banner}>
          <IconWifiOff size={20} aria-hidden />
          <span>
            <strong>The connection is lost.</strong> What you see is from before; it goes on by itself. Trying again for{' '}
            <span aria-hidden>
              <Elapsed since={new Date(state.since).toISOString()} />
            </span>
          </span>
        </p>
      )}
      {state.kind === 'broken' && (
        <p className={classes.banner}>
          <IconPlugConnectedX size={20} aria-hidden />
          <span>
            <strong>This page does not understand the server any more.</strong> It may have been updated.
          </span>
          <Button size="xs" variant="default" onClick={() => location.reload()}>
            Load it again
          </Button>
        </p>
      )}
    </div>
  )
}
