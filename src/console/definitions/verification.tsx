import { IconAlertTriangle, IconCircleCheck, IconX } from '@tabler/icons-react'
import type { FindingsFragment } from '../../generated/console/documents.ts'
import { useStepName } from '../ui/action-names.tsx'
import { Chain } from '../ui/chain.tsx'
import { Chip } from '../ui/chip.tsx'
import classes from './definition.module.css'
import { stepPlace } from './issue-place.ts'

const FOUND = {
  OK: { word: 'OK', tone: 'live', icon: IconCircleCheck },
  WARNING: { word: 'Warning', tone: 'wait', icon: IconAlertTriangle },
  ERROR: { word: 'Error', tone: 'bad', icon: IconX },
} as const

const count = (many: number, one: string) => (many === 1 ? `1 ${one}` : `${many} ${one}s`)

/** What a verification found: whether it passed, what belongs to no step, and each step. */
export function Verification({ report }: { report: FindingsFragment }) {
  const stepName = useStepName()
  const errors = report.steps.filter(({ finding }) => finding === 'ERROR').length
  const warnings = report.steps.filter(({ finding }) => finding === 'WARNING').length
  const placeOf = (path: string) => {
    const step = report.steps.find((one) => path.startsWith(one.path))
    if (step === undefined) return [path]
    const rest = path.slice(step.path.length).replace(/^\./, '')
    return [step.phase, ...stepPlace(step.seq, stepName(step)), ...(rest === '' ? [] : [rest])]
  }
  return (
    <>
      <p className={classes.verdict}>
        <Chip tone={report.passed ? 'live' : 'bad'} icon={report.passed ? IconCircleCheck : IconX}>
          {report.passed ? 'Passed' : 'Did not pass'}
        </Chip>
        <span>
          {count(report.steps.length, 'step')} checked: {count(errors, 'error')}, {count(warnings, 'warning')}
        </span>
      </p>
      {report.issues.length > 0 && (
        <ul className={classes.issues}>
          {report.issues.map(({ path, message }) => (
            <li key={path + message}>
              {path !== '' && (
                <span className={classes.where}>
                  <Chain parts={placeOf(path)} />
                </span>
              )}
              {message}
            </li>
          ))}
        </ul>
      )}
      <ul className={classes.findings} aria-label="Steps">
        {report.steps.map(({ path, phase, seq, actionId, label, finding, message }) => {
          const { word, tone, icon } = FOUND[finding]
          return (
            <li key={path} className={classes.finding}>
              <Chip tone={tone} icon={icon}>
                {word}
              </Chip>
              <span>
                <span className={classes.where}>
                  <Chain parts={[phase, ...stepPlace(seq, stepName({ label, actionId }))]} /> <code>{actionId}</code>
                </span>
                {message}
              </span>
            </li>
          )
        })}
      </ul>
    </>
  )
}
