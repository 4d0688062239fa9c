import { Title } from '@mantine/core'
import { IconBroadcast, IconCalendarOff, IconHistory } from '@tabler/icons-react'
import { NowDocument, RunsChangedDocument } from '../../generated/console/documents.ts'
import { useLive } from '../api/live-query.ts'
import { useLookAgain } from '../api/look-again.ts'
import { CueCard } from '../cues/cue-card.tsx'
import cueClasses from '../cues/cues.module.css'
import { useOpenCues } from '../cues/open-cues.tsx'
import { useMay } from '../session/viewer-context.ts'
import { usePageTitle } from '../shell/page-title.ts'
import { Empty } from '../ui/empty.tsx'
import { LinkButton } from '../ui/link-button.tsx'
import { Section } from '../ui/section.tsx'
import { Unread } from '../ui/unread.tsx'
import { LiveRun } from './live-run.tsx'
import classes from './now.module.css'
import { EndedRow, NextRow, UnresolvedRow } from './run-rows.tsx'

const EVERY = {}

/** What goes on: what waits for a person first, then what runs, then what comes. */
export function NowPage() {
  const { cues, refresh: refreshCues } = useOpenCues()
  usePageTitle('Now')
  const mayStart = useMay('ADMIN')
  const { data, error, refresh } = useLive(
    { query: NowDocument, variables: EVERY },
    { document: RunsChangedDocument, variables: EVERY },
  )
  useLookAgain(refresh)

  const live = data?.live.edges.map(({ node }) => node) ?? []
  const unresolved = data?.unresolved.edges.map(({ node }) => node) ?? []
  const next = data?.next.edges.map(({ node }) => node).reverse() ?? []
  const ended = data?.ended.edges.map(({ node }) => node) ?? []

  return (
    <>
      <Title order={1} className={classes.title}>
        Now
      </Title>
      {data === undefined && <Unread what="what goes on" error={error} />}
      {cues.length > 0 && (
        <Section title="Waiting for a person" count={cues.length}>
          <div className={cueClasses.cards}>
            {cues.map((cue) => (
              <CueCard key={cue.id} cue={cue} level={3} onChange={refreshCues} />
            ))}
          </div>
        </Section>
      )}
      {data !== undefined && (
        <>
          <Section
            title="Live"
            count={data.live.totalCount ?? live.length}
            aside={mayStart && <LinkButton to="/start">Start a run</LinkButton>}
          >
            {live.length === 0 ? (
              <Empty icon={IconBroadcast} title="Nothing is live">
                <p>
                  A run shows up here as soon as it starts: by its schedule, or when{' '}
                  {mayStart ? 'you start one' : 'an admin starts it'}.
                </p>
              </Empty>
            ) : (
              <div className={classes.live}>
                {live.map((run) => (
                  <LiveRun key={run.id} run={run} />
                ))}
              </div>
            )}
            {data.live.totalCount !== live.length && <p>These are the {live.length} latest of them.</p>}
          </Section>
          {unresolved.length > 0 && (
            <Section title="Left something behind" count={unresolved.length}>
              <ul className={classes.rows}>
                {unresolved.map((run) => (
                  <UnresolvedRow key={run.id} run={run} />
                ))}
              </ul>
            </Section>
          )}
          <div className={classes.columns}>
            <Section title="Next">
              {next.length === 0 ? (
                <Empty icon={IconCalendarOff} title="Nothing is scheduled">
                  <p>Runs of events with a schedule are listed here two weeks ahead, once their version is verified.</p>
                </Empty>
              ) : (
                <ul className={classes.rows}>
                  {next.map((run) => (
                    <NextRow key={run.id} run={run} />
                  ))}
                </ul>
              )}
            </Section>
            <Section title="Ended lately">
              {ended.length === 0 ? (
                <Empty icon={IconHistory} title="Nothing has ended yet">
                  <p>What has run stays here with its whole log.</p>
                </Empty>
              ) : (
                <ul className={classes.rows}>
                  {ended.map((run) => (
                    <EndedRow key={run.id} run={run} />
                  ))}
                </ul>
              )}
            </Section>
          </div>
        </>
      )}
    </>
  )
}
