import { IconMapOff } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { DefinitionDocument, RunsChangedDocument } from '../../generated/console/documents.ts'
import { sentenceOf } from '../api/act.ts'
import { useLive } from '../api/live-query.ts'
import { useLookAgain } from '../api/look-again.ts'
import { usePageTitle } from '../shell/page-title.ts'
import { Empty } from '../ui/empty.tsx'
import { LinkButton } from '../ui/link-button.tsx'
import { Loading } from '../ui/loading.tsx'
import { DefinitionView } from './definition-view.tsx'

/** Reads the definition of an address, and says so where there is none. */
export function DefinitionPage({ slug, isPublishing }: { slug: string; isPublishing: boolean }) {
  // Its runs tell of what happens to it; whose they are is known once it is read.
  const [id, setId] = useState<string | null>(null)
  const changes = useMemo(
    () => (id === null ? null : { document: RunsChangedDocument, variables: { filter: { definitionId: id } } }),
    [id],
  )
  const { data, error, refresh } = useLive({ query: DefinitionDocument, variables: { slug } }, changes)
  useLookAgain(refresh)
  const definition = data?.definition ?? null
  usePageTitle(definition?.title || slug)
  if (definition !== null && definition.id !== id) setId(definition.id)

  if (definition !== null) return <DefinitionView {...{ definition, changes, refresh, isPublishing }} />
  if (data === undefined && error === null) return <Loading what="the definition" />
  return <NoDefinition problem={error === null ? null : sentenceOf(error)} />
}

/** What stands where a definition could not be read; `problem` is null where there is none of that name. */
export function NoDefinition({ problem }: { problem: string | null }) {
  return (
    <Empty
      icon={IconMapOff}
      title={problem === null ? 'There is no definition of this name' : 'The definition could not be read'}
      level={1}
    >
      <p>{problem ?? 'Its address may be mistyped, or it may be from another server.'}</p>
      <LinkButton to="/definitions">Go to the definitions</LinkButton>
    </Empty>
  )
}
