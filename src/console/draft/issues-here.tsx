import classes from './draft.module.css'
import { useField } from './draft-context.ts'
import type { Path } from './path.ts'

/** What is wrong with a part that is no field itself. */
export function IssuesHere({ path }: { path: Path }) {
  const { error } = useField(path)
  return error === null ? null : <p className={classes.issue}>{error}</p>
}
