import classes from './draft.module.css'
import { useField } from './draft-context.ts'
import type { Path } from './path.ts'

/** What is wrong with a part that is no field itself. */
export function IssuesHere({ path }: { path: Path }) {
  const { error, success } = useField(path).told
  const said = error ?? success
  return said === null ? null : <p className={classes.issue}>{said}</p>
}
