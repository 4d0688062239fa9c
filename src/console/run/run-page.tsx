import { IconMapOff } from '@tabler/icons-react'
import { useState } from 'react'
import { RunConsoleDocument } from '../../generated/console/documents.ts'
import { sentenceOf } from '../api/act.ts'
import { useLive } from '../api/live-query.ts'
import { usePageTitle } from '../shell/page-title.ts'
import { Empty } from '../ui/empty.tsx'
import { LinkButton } from '../ui/link-button.tsx'
import { Loading } from '../ui/loading.tsx'
import { type RunChanges, useRunChanges } from './run-changes.ts'
import { RunConsole } from './run-console.tsx'

/** Reads the run of an address, and says so where there is none. */
export function RunPage({ runId }: { runId: string }) {
  // Which feed tells of the run is known once the run is.
  const [changes, setChanges] = useState<RunChanges | null>(null)
  const { data, error, refresh } = useLive({ query: RunConsoleDocument, variables: { id: runId } }, changes)
  const run = data?.run ?? null
  const feed = useRunChanges(run)
  usePageTitle(run?.definition.title ?? 'Run')
  if (feed !== changes) setChanges(feed)

  if (run !== null && feed !== null) return <RunConsole run={run} changes={feed} refresh={refresh} />
  if (data === undefined && error === null) return <Loading what="the run" />
  return (
    <Empty
      icon={IconMapOff}
      title={error === null ? 'There is no run with this id' : 'The run could not be read'}
      level={1}
    >
      <p>{error === null ? 'Its address may be mistyped, or it may be from another server.' : sentenceOf(error)}</p>
      <LinkButton to="/">Go to Now</LinkButton>
    </Empty>
  )
}
