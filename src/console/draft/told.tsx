import type { ReactNode } from 'react'
import classes from './draft.module.css'

/** What is said of a field: what is wrong with it, and, not as strongly, what is only odd; null: nothing. */
export function toldOf(wrong: string, odd: string): ReactNode {
  if (odd === '') return wrong === '' ? null : wrong
  if (wrong === '') return <span className={classes.oddAlone}>{odd}</span>
  return (
    <>
      {wrong} <span className={classes.odd}>{odd}</span>
    </>
  )
}
