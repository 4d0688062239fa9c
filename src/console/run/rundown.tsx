import type { PlannedPhaseFragment, RunConsoleFragment } from '../../generated/console/documents.ts'
import { showTook } from '../time/clock-text.ts'
import { Elapsed } from '../time/elapsed.tsx'
import { Chip } from '../ui/chip.tsx'
import { GateLine, PlannedGate } from './gate-line.tsx'
import classes from './rundown.module.css'
import { PlannedStep, StepRow } from './step-row.tsx'

type RundownProps = { run: RunConsoleFragment; phases: readonly PlannedPhaseFragment[]; onChange(): void }

/** The phases in order, each with its steps and its gate: what was, what is, what comes. */
export function Rundown({ run, phases, onChange }: RundownProps) {
  const current = phases.findIndex(({ key }) => key === run.currentPhase)
  const isOver = run.endedAt !== null
  return (
    <ol className={classes.phases}>
      {phases.map((phase, at) => {
        const steps = run.steps.filter((step) => step.phase === phase.key)
        const gate = run.gates.find((it) => it.phase === phase.key)
        const state = at < current ? 'done' : at > current ? 'ahead' : isOver ? 'done' : 'current'
        return (
          <li
            key={phase.key}
            className={classes.phase}
            data-state={state}
            aria-current={state === 'current' ? 'step' : undefined}
          >
            <div className={classes.phaseHead}>
              <h2 className={classes.phaseName}>
                <span className={classes.number}>{at + 1}</span> <bdi>{phase.label}</bdi>
              </h2>
              <span className={classes.phaseEnd}>
                <PhaseTime steps={steps} isOver={isOver || at < current} />
                {state === 'current' && <Chip tone="live">Now</Chip>}
                {state === 'ahead' && <Chip tone="calm">{isOver ? 'Not reached' : 'Ahead'}</Chip>}
                {state === 'done' && (
                  <Chip tone="calm">{at === current && run.status !== 'COMPLETED' ? 'Ended here' : 'Done'}</Chip>
                )}
              </span>
            </div>
            <ol className={classes.steps}>
              {steps.length > 0
                ? steps.map((step) => <StepRow key={step.id} step={step} timeZone={run.timeZone} onChange={onChange} />)
                : phase.steps.map((step, seq) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: its place is what a planned step has for a name
                    <PlannedStep key={seq} step={step} seq={seq} />
                  ))}
              {steps.length + phase.steps.length === 0 && (
                <li className={classes.none}>No steps: it waits for its gate.</li>
              )}
            </ol>
            {gate !== undefined ? (
              <GateLine gate={gate} timeZone={run.timeZone} isOver={isOver} />
            ) : (
              phase.advance !== null && <PlannedGate gate={phase.advance} />
            )}
          </li>
        )
      })}
    </ol>
  )
}

/** How long a phase has taken, from its first step on. */
function PhaseTime({ steps, isOver }: { steps: RunConsoleFragment['steps']; isOver: boolean }) {
  const starts = steps.flatMap(({ startedAt }) => (startedAt === null ? [] : [Date.parse(startedAt)]))
  if (starts.length === 0) return null
  const begun = Math.min(...starts)
  const ends = steps.flatMap(({ finishedAt }) => (finishedAt === null ? [] : [Date.parse(finishedAt)]))
  if (!isOver) return <Elapsed since={new Date(begun).toISOString()} />
  return <span>{showTook(Math.max(begun, ...ends) - begun)}</span>
}
