import type { ReactNode } from 'react'
import classes from './draft.module.css'

/**
 * What is said of a field, as the props of its input: with an error it is invalid, and what is only odd describes it, which
 * Mantine has for what is well done.
 */
export type Told = { error: ReactNode; success: ReactNode }

/** What is wrong with a field, and, not as strongly, what is only odd. */
export function toldOf(wrong: string, odd: string): Told {
  if (wrong === '') return { error: null, success: odd === '' ? null : <span className={classes.oddAlone}>{odd}</span> }
  if (odd === '') return { error: wrong, success: null }
  const both = (
    <>
      {wrong} <span className={classes.odd}>{odd}</span>
    </>
  )
  return { error: both, success: null }
}
