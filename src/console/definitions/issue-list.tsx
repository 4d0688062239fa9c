import type { IssueFragment } from '../../generated/console/documents.ts'
import { useStepName } from '../ui/action-names.tsx'
import { Chain } from '../ui/chain.tsx'
import type { Content } from './content.ts'
import classes from './definition.module.css'
import { placeOf } from './issue-place.ts'

/** What was found in a draft, each with its place. */
export function IssueList({ found, content }: { found: readonly IssueFragment[]; content: Content }) {
  const stepName = useStepName()
  return (
    <ul className={classes.issues}>
      {found.map(({ path, message }) => (
        <li key={path + message}>
          <span className={classes.where}>
            <Chain parts={placeOf(path, content, stepName)} />
          </span>
          <bdi>{message}</bdi>
        </li>
      ))}
    </ul>
  )
}
