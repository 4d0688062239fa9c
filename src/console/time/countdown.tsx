import { showSpan } from './clock-text.ts'
import { useNow } from './now.ts'
import classes from './time.module.css'

type CountdownProps = {
  /** The instant that is counted down to. */
  until: string
  /** What comes then, for who does not see the page: "starts", "goes on". */
  what: string
  size?: 'large' | 'small'
}

/** How long it is until an instant; once it has passed, for how long. */
export function Countdown({ until, what, size = 'small' }: CountdownProps) {
  const left = Date.parse(until) - useNow()
  const isLate = left < 0
  // Rounded so that 0:00 is the instant itself.
  const span = showSpan(isLate ? -left : Math.ceil(left / 1000) * 1000)
  return (
    <span className={classes.countdown} data-size={size} data-late={isLate || undefined} role="timer">
      <span className={classes.hidden}>{isLate ? `${what}, overdue by ` : `${what} in `}</span>
      {isLate ? '+' : ''}
      {span}
    </span>
  )
}
