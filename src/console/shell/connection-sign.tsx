import { Button } from '@mantine/core'
import { IconHistory, IconPlugConnectedX, IconWifi, IconWifiOff } from '@tabler/icons-react'
import { isForbidden, sentenceOf } from '../api/act.ts'
import { useConnection } from '../api/connection-context.ts'
import { useSignal } from '../api/signal.ts'
import { Elapsed } from '../time/elapsed.tsx'
import { Instant } from '../time/instant.tsx'
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

/** Says that what is shown is old, for want of a connection or of answers, and what that means; it takes itself away. */
export function ConnectionBanner() {
  const connection = useConnection()
  const state = useSignal(connection.state)
  const stale = useSignal(connection.stale.oldest)
  return (
    <div role="status" aria-live="assertive">
      {state.kind === 'open' && stale !== null && (
        <p className={classes.banner}>
          <IconHistory size={20} aria-hidden />
          <span>
            <strong>
              What you see is from <Instant at={new Date(stale.readAt).toISOString()} zone={null} />; it cannot be read
              again.
            </strong>{' '}
            {sentenceOf(stale.error)} {!isForbidden(stale.error) && 'It is tried again by itself.'}
          </span>
        </p>
      )}
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
