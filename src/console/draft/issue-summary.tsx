import { Anchor } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import type { IssueFragment } from '../../generated/console/documents.ts'
import { placeOf } from '../definitions/issue-place.ts'
import { useStepName } from '../ui/action-names.tsx'
import { Chain } from '../ui/chain.tsx'
import { sentence, useDraft, useView } from './draft-context.ts'
import { focusSoon } from './focus.ts'
import { keyOf } from './part-key.ts'
import { type Path, valueAt } from './path.ts'
import classes from './summary.module.css'

/** All that is wrong with the draft, and the way to each. */
export function IssueSummary() {
  const { issues, server, problem } = useView()
  return (
    <section aria-label="Problems" className={classes.summary}>
      <div role="status">
        <h2 className={classes.summaryTitle}>
          {problem !== null ? 'First the text has to be one that can be read' : titleOf(issues.length)}
        </h2>
      </div>
      {problem !== null ? (
        // What was found before is of another text.
        <p className={classes.none}>What is wrong with the draft is said here then.</p>
      ) : (
        <>
          {issues.length === 0 && (
            <p className={classes.good}>
              <IconCircleCheck size={18} aria-hidden /> Nothing is wrong with the draft.
            </p>
          )}
          <Problems found={issues} />
          {server.draftWarnings.length > 0 && (
            <>
              <h3 className={classes.summaryTitle}>Allowed, but odd</h3>
              <Problems found={server.draftWarnings} />
            </>
          )}
        </>
      )}
    </section>
  )
}

function titleOf(count: number): string {
  if (count === 0) return 'Ready to be published'
  return count === 1 ? '1 thing to solve' : `${count} things to solve`
}

function Problems({ found }: { found: readonly IssueFragment[] }) {
  const { setOpen } = useDraft()
  const { content } = useView()
  const stepName = useStepName()
  const jump = (path: string) => {
    const step = /^phases\[(\d+)\]\.steps\[(\d+)\]/.exec(path)
    const part = step === null ? undefined : valueAt(content, stepPath(step))
    if (part !== undefined) setOpen(keyOf(part), true)
    focusSoon(...ways(path).map((at) => `draft.${at}`), ...(part === undefined ? [] : [`head-${keyOf(part)}`]))
  }
  return (
    <ul className={classes.problems}>
      {found.map(({ path, message }) => (
        <li key={path + message}>
          <Anchor component="button" type="button" className={classes.problem} onClick={() => jump(path)}>
            <Chain parts={placeOf(path, content, stepName)} />
          </Anchor>
          <span>{sentence({ path, message }, { at: path, content })}</span>
        </li>
      ))}
    </ul>
  )
}

const stepPath = ([, phase, step]: RegExpExecArray): Path => ['phases', Number(phase), 'steps', Number(step)]

/** The path, and those above it: the nearest that has a field is where to go. */
function ways(path: string): string[] {
  const found = [path]
  for (let at = path; at !== ''; ) {
    at = at.replace(/(\.[^.[\]]+|\[[^\]]*\]|^[^.[\]]+)$/, '')
    if (at === found.at(-1)) break
    if (at !== '') found.push(at)
  }
  return found
}
