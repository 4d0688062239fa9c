import { IconMapOff } from '@tabler/icons-react'
import { useEffect } from 'react'
import { useQuery } from 'urql'
import { RunIdentityDocument } from '../../generated/console/documents.ts'
import { sentenceOf } from '../api/act.ts'
import { useConnection } from '../api/connection-context.ts'
import { Empty } from '../ui/empty.tsx'
import { LinkButton } from '../ui/link-button.tsx'
import { RunConsole } from './run-console.tsx'

/** Finds the run of an address, and says so where there is none. */
export function RunPage({ runId }: { runId: string }) {
  const connection = useConnection()
  const [{ data, error }, ask] = useQuery({
    query: RunIdentityDocument,
    variables: { id: runId },
    requestPolicy: 'cache-first',
  })
  const isKnown = data?.run != null
  useEffect(() => {
    if (!isKnown) return connection.onOpen(() => ask({ requestPolicy: 'network-only' }))
  }, [connection, ask, isKnown])

  if (data?.run != null) return <RunConsole identity={data.run} />
  if (data === undefined && error === undefined) return null
  return (
    <Empty
      icon={IconMapOff}
      title={error === undefined ? 'There is no run with this id' : 'The run could not be read'}
      level={1}
    >
      <p>
        {error === undefined ? 'Its address may be mistyped, or it may be from another server.' : sentenceOf(error)}
      </p>
      <LinkButton to="/">Go to Now</LinkButton>
    </Empty>
  )
}
