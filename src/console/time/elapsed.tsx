import { showSpan } from './clock-text.ts'
import { useNow } from './now.ts'
import classes from './time.module.css'

/** How long ago an instant was, going on while one looks. */
export function Elapsed({ since, size = 'small' }: { since: string; size?: 'large' | 'small' }) {
  return (
    <span className={classes.countdown} data-size={size}>
      {showSpan(useNow() - Date.parse(since))}
    </span>
  )
}
