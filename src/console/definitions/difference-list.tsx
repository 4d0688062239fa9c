import { Chain } from '../ui/chain.tsx'
import classes from './definition.module.css'
import type { Difference } from './differences.ts'

/** How many are shown: nobody reads more. */
const MOST = 200

/** What is not the same, one line for each. */
export function DifferenceList({ found, label }: { found: readonly Difference[]; label: string }) {
  return (
    <ul className={classes.differences} aria-label={label}>
      {found.slice(0, MOST).map(({ where, before, after }) => (
        <li key={`${where.join('/')} ${before ?? ''}`} className={classes.difference}>
          <span className={classes.where}>
            <Chain parts={where} />
          </span>
          <span className={classes.change}>
            {before !== null && (
              <del>
                <span className={classes.sign} aria-hidden>
                  −
                </span>
                <bdi>{before}</bdi>
              </del>
            )}
            {after !== null && (
              <ins>
                <span className={classes.sign} aria-hidden>
                  +
                </span>
                <bdi>{after}</bdi>
              </ins>
            )}
          </span>
        </li>
      ))}
      {found.length > MOST && <li>{found.length - MOST} more.</li>}
    </ul>
  )
}
