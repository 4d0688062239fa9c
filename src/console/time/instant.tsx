import { showInstant } from './clock-text.ts'
import { useMinute } from './now.ts'
import classes from './time.module.css'

/** An instant in the zone of who looks, and in the event's zone where that differs. */
export function Instant({ at, zone }: { at: string; zone: string | null }) {
  const { text, event, full } = showInstant(at, zone, useMinute())
  return (
    <time dateTime={at} title={full} className={classes.instant}>
      {text}
      {event !== null && <span className={classes.event}> ({event})</span>}
    </time>
  )
}
