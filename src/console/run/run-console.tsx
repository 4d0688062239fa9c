import { Tabs } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useEffect } from 'react'
import {
  type PlannedPhaseFragment,
  type RunConsoleFragment,
  RunPlanDocument,
} from '../../generated/console/documents.ts'
import { useLive } from '../api/live-query.ts'
import { CueCard } from '../cues/cue-card.tsx'
import { BudgetMeters } from './budget-meters.tsx'
import { Ledger } from './ledger.tsx'
import { LogPanel } from './log-panel.tsx'
import { Participants } from './participants.tsx'
import classes from './run.module.css'
import type { RunChanges } from './run-changes.ts'
import { RunFacts } from './run-facts.tsx'
import { RunHead } from './run-head.tsx'
import { Rundown } from './rundown.tsx'

const NONE: readonly PlannedPhaseFragment[] = []

type RunConsoleProps = { run: RunConsoleFragment; changes: RunChanges; refresh(): void }

/** All of one run: what it waits for, its controls, its rundown, its log, and what it did to the world. */
export function RunConsole({ run, changes, refresh }: RunConsoleProps) {
  const { id } = run
  const isWide = useMediaQuery('(min-width: 75em)', true, { getInitialValueInEffect: false })
  const { data, refresh: readPlan } = useLive({ query: RunPlanDocument, variables: { id } }, null)
  const planned = data?.run?.version
  const isOld = planned !== undefined && planned.id !== run.version.id
  useEffect(() => {
    // A new version has taken the run along before it started.
    if (isOld) readPlan()
  }, [isOld, readPlan])
  const phases = planned?.spec.phases ?? NONE

  const rundown = <Rundown run={run} phases={phases} onChange={refresh} />
  return (
    <>
      <RunHead run={run} onChange={refresh} />
      {run.cues.length > 0 && (
        <section aria-label="Cues" className={classes.cues}>
          {run.cues.map((cue) => (
            <CueCard key={cue.id} cue={cue} level={2} onChange={refresh} withinRun />
          ))}
        </section>
      )}
      <BudgetMeters budget={run.budget} />
      <div className={classes.columns}>
        {isWide && (
          <section aria-label="Rundown" className={classes.left}>
            {rundown}
          </section>
        )}
        <Tabs
          key={isWide ? 'wide' : 'narrow'}
          defaultValue={isWide ? 'log' : 'rundown'}
          keepMounted={false}
          className={classes.right}
        >
          <Tabs.List aria-label="Parts of the run" className={classes.tabs}>
            {!isWide && <Tabs.Tab value="rundown">Rundown</Tabs.Tab>}
            <Tabs.Tab value="log">Log</Tabs.Tab>
            <Tabs.Tab value="ledger">Ledger</Tabs.Tab>
            <Tabs.Tab value="participants">People</Tabs.Tab>
            <Tabs.Tab value="facts">Facts</Tabs.Tab>
          </Tabs.List>
          {!isWide && <Tabs.Panel value="rundown">{rundown}</Tabs.Panel>}
          <Tabs.Panel value="log">
            <LogPanel
              runId={id}
              phases={phases}
              timeZone={run.timeZone}
              status={run.status}
              cleanup={run.cleanupStatus}
            />
          </Tabs.Panel>
          <Tabs.Panel value="ledger">
            <Ledger runId={id} changes={changes} timeZone={run.timeZone} cleanup={run.cleanupStatus} />
          </Tabs.Panel>
          <Tabs.Panel value="participants">
            <Participants runId={id} isOver={run.endedAt !== null} changes={changes} />
          </Tabs.Panel>
          <Tabs.Panel value="facts">
            <RunFacts run={run} />
          </Tabs.Panel>
        </Tabs>
      </div>
    </>
  )
}
