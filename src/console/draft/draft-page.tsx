import { IconLock } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { CatalogDocument, DraftDocument } from '../../generated/console/documents.ts'
import { sentenceOf } from '../api/act.ts'
import { useConnection } from '../api/connection-context.ts'
import { useLive } from '../api/live-query.ts'
import { useLookAgain } from '../api/look-again.ts'
import { NoDefinition } from '../definitions/definition-page.tsx'
import { useViewer } from '../session/viewer-context.ts'
import { usePageTitle } from '../shell/page-title.ts'
import { Empty } from '../ui/empty.tsx'
import { LinkButton } from '../ui/link-button.tsx'
import { Loading } from '../ui/loading.tsx'
import { NeedsRole } from '../ui/needs-role.tsx'
import { Backups } from './backup.ts'
import { DraftEditor } from './draft-editor.tsx'
import { DraftStore } from './draft-store.ts'

const NOTHING = {}

export function DraftPage({ slug }: { slug: string }) {
  return (
    <NeedsRole needed="ADMIN" what="The editor of a draft">
      <Draft slug={slug} />
    </NeedsRole>
  )
}

/** Reads the draft of an address to be written at. */
function Draft({ slug }: { slug: string }) {
  const { client } = useConnection()
  const writer = useViewer().name
  const { data, error, refresh } = useLive({ query: DraftDocument, variables: { slug } }, null)
  const catalog = useLive({ query: CatalogDocument, variables: NOTHING }, null)
  useLookAgain(refresh)
  const [store, setStore] = useState<DraftStore | null>(null)
  const definition = data?.definition ?? null
  const isArchived = definition?.state === 'ARCHIVED'
  usePageTitle(`Draft of ${definition?.title || slug}`)
  useEffect(() => {
    if (definition === null || isArchived) return
    if (store === null) {
      const backups = new Backups(localStorage, definition.id)
      setStore(new DraftStore({ client, server: definition, backups, writer }))
    } else store.look(definition)
  }, [client, definition, store, writer, isArchived])

  if (isArchived && store === null) {
    return (
      <Empty icon={IconLock} title="An archived definition is not changed any more" level={1}>
        <p>Create another one instead.</p>
        <LinkButton to="/definitions/$slug" params={{ slug }}>
          Go to the definition
        </LinkButton>
      </Empty>
    )
  }
  if (store !== null && catalog.data !== undefined) return <DraftEditor store={store} catalog={catalog.data} />
  const problem = error ?? catalog.error
  if (data !== undefined && definition === null) return <NoDefinition problem={null} />
  return problem === null ? <Loading what="the draft" /> : <NoDefinition problem={sentenceOf(problem)} />
}
