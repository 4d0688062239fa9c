import { IconCircleCheck } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useId } from 'react'
import { RunnerDocument, type RunnerQuery } from '../../generated/console/documents.ts'
import { useLive } from '../api/live-query.ts'
import { useLookAgain } from '../api/look-again.ts'
import { serverNow } from '../api/server-clock.ts'
import type { RunsSearch } from '../runs/runs-search.ts'
import { usePageTitle } from '../shell/page-title.ts'
import { showSpan } from '../time/clock-text.ts'
import { Countdown } from '../time/countdown.tsx'
import { Instant } from '../time/instant.tsx'
import { useNow } from '../time/now.ts'
import { Notice } from '../ui/notice.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { Section } from '../ui/section.tsx'
import { Unread } from '../ui/unread.tsx'
import { InstanceTable } from './instance-table.tsx'
import classes from './runner.module.css'
import { isOld, problemsOf } from './runner-words.ts'

const NOTHING = {}
/** It changes all the time, and nothing tells of it. */
const LOOK_AGAIN_MS = 2_000

/** The processes that make runs go on: whether they are there, and whether they keep up. */
export function RunnerPage() {
  usePageTitle('Runner')
  const { data, error, readAt, refresh } = useLive({ query: RunnerDocument, variables: NOTHING }, null)
  useLookAgain(refresh, LOOK_AGAIN_MS)
  return (
    <>
      <PageHead title="Runner">The processes that make runs start and go on.</PageHead>
      {data === undefined || readAt === null ? (
        <Unread what="the runner" error={error} />
      ) : (
        <Status data={data} readAt={readAt} />
      )}
    </>
  )
}

function Status({ data, readAt }: { data: RunnerQuery; readAt: number }) {
  const { runner, live, paused, stalled, incomplete } = data
  const isUnknown = isOld(readAt, useNow())
  const problems = isUnknown ? [] : problemsOf(runner, readAt)
  return (
    <>
      <div className={classes.verdict}>
        {isUnknown && (
          <Notice tone="wait" title="How the runner is cannot be seen now">
            All of this is as of <Instant at={new Date(readAt).toISOString()} zone={null} />. It is read again by
            itself.
          </Notice>
        )}
        {problems.map(({ tone, title, text }) => (
          <Notice key={title} tone={tone} title={title}>
            {text}
          </Notice>
        ))}
        {!isUnknown && problems.length === 0 && (
          <p className={classes.well} role="status">
            <IconCircleCheck size={20} aria-hidden />
            <span>
              <strong>The runner keeps up.</strong> What is due is taken up at once.
            </span>
          </p>
        )}
      </div>
      <section aria-label="Figures" className={classes.figures}>
        <Figure label="Due, taken up by nobody" more={oldest(runner)}>
          {runner.dueRuns}
        </Figure>
        <Figure
          label="Next thing to do"
          more={runner.nextWakeAt !== null && <Instant at={runner.nextWakeAt} zone={null} />}
        >
          {runner.nextWakeAt === null ? 'none known' : <Countdown until={runner.nextWakeAt} what="comes" />}
        </Figure>
        <Figure label="Runs that go on" search={{ status: ['STARTING', 'RUNNING', 'ENDING'] }}>
          {shown(live.totalCount)}
        </Figure>
        <Figure label="Paused" search={{ status: ['PAUSED'] }}>
          {shown(paused.totalCount)}
        </Figure>
        <Figure label="Stalled, or were" search={{ status: ['RUNNING', 'PAUSED'], health: 'STALLED' }}>
          {shown(stalled.totalCount)}
        </Figure>
        <Figure label="Cleanup incomplete" search={{ cleanup: 'INCOMPLETE' }}>
          {shown(incomplete.totalCount)}
        </Figure>
      </section>
      <Section title="Processes" count={runner.instances.length}>
        <InstanceTable instances={runner.instances} readAt={readAt} />
      </Section>
      <DeviceClock />
    </>
  )
}

const oldest = ({ dueRuns, oldestDueSeconds }: RunnerQuery['runner']) =>
  dueRuns > 0 && `the first for ${showSpan(oldestDueSeconds * 1_000)}`

const count = new Intl.NumberFormat('en')
const shown = (total: number | null) => (total === null ? 'more than 10,000' : count.format(total))

type FigureProps = { label: string; more?: ReactNode; search?: RunsSearch; children: ReactNode }

/** A figure, and the runs that it counts behind it. */
function Figure({ label, more, search, children }: FigureProps) {
  const id = useId()
  return (
    <div className={classes.figure}>
      <span id={id} className={classes.label}>
        {label}
      </span>
      <span className={classes.value}>{children}</span>
      {more && <span className={classes.more}>{more}</span>}
      {search !== undefined && children !== '0' && (
        <Link to="/runs" search={search} className={classes.show} aria-describedby={id}>
          Show them
        </Link>
      )}
    </div>
  )
}

/** All servers go by the database's clock; only this device may be off, and the console makes up for it. */
function DeviceClock() {
  useNow()
  const offset = Math.round((serverNow() - Date.now()) / 1_000)
  return (
    <p className={classes.clock}>
      All processes go by the database's clock.{' '}
      {offset === 0
        ? 'The clock of this device agrees with it.'
        : `The clock of this device is ${showSpan(Math.abs(offset) * 1_000)} ${offset > 0 ? 'behind' : 'ahead'}; countdowns make up for that.`}
    </p>
  )
}
