import { Title } from '@mantine/core'
import { IconListNumbers } from '@tabler/icons-react'
import type { SpecPhaseFragment } from '../../generated/console/documents.ts'
import { PlannedGate } from '../run/gate-line.tsx'
import runClasses from '../run/rundown.module.css'
import { useStepName } from '../ui/action-names.tsx'
import { Empty } from '../ui/empty.tsx'
import classes from './definition.module.css'

const ON_FAILURE = { SKIP: 'goes on if it fails', PAUSE: 'pauses if it fails', ABORT_RUN: 'fails the run' } as const

/** What an event does, phase by phase, to be read. */
export function SpecRundown({ phases, title }: { phases: readonly SpecPhaseFragment[]; title: string }) {
  const stepName = useStepName()
  return (
    <>
      <Title order={2} fz="lg" my="xs">
        {title}
      </Title>
      {phases.length === 0 && (
        <Empty icon={IconListNumbers} title="It does nothing yet">
          <p>Phases and their steps are written in the draft.</p>
        </Empty>
      )}
      <ol className={runClasses.phases}>
        {phases.map(({ key, label, steps, advance }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the keys of a draft may be the same
          <li key={at} className={runClasses.phase}>
            <div className={runClasses.phaseHead}>
              <h3 className={runClasses.phaseName}>
                <span className={runClasses.number}>{at + 1}</span> <bdi>{label === '' ? key : label}</bdi>
              </h3>
            </div>
            <ol className={runClasses.steps}>
              {steps.map(({ actionId, label: name, params, onFailure }, seq) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: its place is what a step has for a name
                <li key={seq} className={runClasses.step}>
                  <div className={runClasses.stepLine}>
                    <span className={classes.stepName}>
                      <bdi>
                        {actionId === '' ? (name ?? 'A step without an action') : stepName({ label: name, actionId })}
                      </bdi>
                      {actionId !== '' && <code className={classes.action}>{actionId}</code>}
                    </span>
                    {onFailure !== null && onFailure !== 'PAUSE' && (
                      <span className={classes.dim}>{ON_FAILURE[onFailure]}</span>
                    )}
                  </div>
                  <ParamLine params={params} />
                </li>
              ))}
              {steps.length === 0 && (
                <li className={runClasses.none}>
                  {advance === null ? 'No steps: it is over at once.' : 'No steps: it waits for its gate.'}
                </li>
              )}
            </ol>
            {advance !== null && <PlannedGate gate={advance} />}
          </li>
        ))}
      </ol>
    </>
  )
}

function ParamLine({ params }: { params: Record<string, unknown> }) {
  const entries = Object.entries(params)
  if (entries.length === 0) return null
  return (
    <p className={classes.params}>
      {entries.map(([name, value]) => (
        <span key={name}>
          <span className={classes.paramName}>{name}</span>{' '}
          <bdi>{typeof value === 'string' ? value : JSON.stringify(value)}</bdi>
        </span>
      ))}
    </p>
  )
}
