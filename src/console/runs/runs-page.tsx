import { Button } from '@mantine/core'
import { IconHistory, IconSearchOff } from '@tabler/icons-react'
import { RunsChangedDocument, RunsDocument } from '../../generated/console/documents.ts'
import { useLive } from '../api/live-query.ts'
import nowClasses from '../now/now.module.css'
import { RunRow } from '../now/run-rows.tsx'
import { usePageTitle } from '../shell/page-title.ts'
import { Empty } from '../ui/empty.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { pageArguments } from '../ui/page-place.ts'
import { Pager } from '../ui/pager.tsx'
import { Total } from '../ui/total.tsx'
import { UnreadPage } from '../ui/unread.tsx'
import { RunFilters } from './run-filters.tsx'
import { type RunsSearch, runFilter } from './runs-search.ts'

const PAGE = 50

type RunsPageProps = { search: RunsSearch; onSearch(search: RunsSearch): void }

/** Every run there is or was: where an old one is found. */
export function RunsPage({ search, onSearch }: RunsPageProps) {
  usePageTitle('Runs')
  const filter = runFilter(search)
  const { data, error } = useLive(
    { query: RunsDocument, variables: { filter, ...pageArguments(search, PAGE) } },
    { document: RunsChangedDocument, variables: { filter } },
  )
  const runs = data?.runs.edges.map(({ node }) => node) ?? []
  const isFiltered = Object.keys(filter).length > 0
  const { after: _after, before: _before, ...chosen } = search

  return (
    <>
      <PageHead title="Runs">Every run that is to come, goes on or is over, the latest first.</PageHead>
      <RunFilters search={chosen} onSearch={onSearch} />
      {data === undefined && (
        <UnreadPage what="the runs" error={error} place={search} onFront={() => onSearch(chosen)} />
      )}
      {data !== undefined && (
        <>
          <Total count={data.runs.totalCount} one="run" many="runs" />
          {runs.length > 0 ? (
            <ul className={nowClasses.rows} aria-label="Runs">
              {runs.map((run) => (
                <RunRow key={run.id} run={run} />
              ))}
            </ul>
          ) : isFiltered ? (
            <Empty icon={IconSearchOff} title="No run matches" level={2}>
              <Button variant="default" onClick={() => onSearch({})}>
                Show all runs
              </Button>
            </Empty>
          ) : (
            <Empty icon={IconHistory} title="Nothing has run yet" level={2}>
              <p>
                Publish an event with a schedule, or start one, as with <code>cuelight start</code> and its name: its
                runs are listed here for good.
              </p>
            </Empty>
          )}
          <Pager what="runs" page={data.runs.pageInfo} onTurn={(place) => onSearch({ ...chosen, ...place })} />
        </>
      )}
    </>
  )
}
