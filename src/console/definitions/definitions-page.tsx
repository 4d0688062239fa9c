import { Button, CloseButton, SegmentedControl, TextInput, Title, VisuallyHidden } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconFileSearch, IconPlus, IconSearch, IconTimeline } from '@tabler/icons-react'
import { useState } from 'react'
import { type DefinitionState, DefinitionsDocument } from '../../generated/console/documents.ts'
import { useKept } from '../api/kept.ts'
import { useLive } from '../api/live-query.ts'
import { useLookAgain } from '../api/look-again.ts'
import { useMay } from '../session/viewer-context.ts'
import { usePageTitle } from '../shell/page-title.ts'
import { Empty } from '../ui/empty.tsx'
import { Unread } from '../ui/unread.tsx'
import { DefinitionRow } from './definition-row.tsx'
import classes from './definitions.module.css'
import { NewDefinition } from './new-definition.tsx'

const PAGE = 50
/** What the server answers at most. */
const MOST = 500
const TYPING_MS = 250

const SHOWN: Record<string, DefinitionState[]> = {
  use: ['DRAFT', 'READY'],
  archived: ['ARCHIVED'],
}

/** Every event: found by its name, with how far it has got and when it comes. */
export function DefinitionsPage() {
  usePageTitle('Definitions')
  const mayEdit = useMay('ADMIN')
  const [search, setSearch] = useState('')
  const [sought] = useDebouncedValue(search.trim(), TYPING_MS)
  const [shown, setShown] = useState('use')
  const [first, setFirst] = useState(PAGE)
  const [isNew, setNew] = useState(false)
  const filter = { state: SHOWN[shown] ?? null, search: sought === '' ? null : sought }
  const live = useLive({ query: DefinitionsDocument, variables: { filter, first } }, null)
  useLookAgain(live.refresh)
  // What was found before stands until what is searched for now is known.
  const last = useKept(live, { isSearch: sought !== '' || shown === 'archived' })

  const found = last?.answer.definitions.edges.map(({ node }) => node) ?? []
  const total = last?.answer.definitions.totalCount ?? found.length
  const create = mayEdit && (
    <Button size="md" leftSection={<IconPlus size={18} aria-hidden />} onClick={() => setNew(true)}>
      New definition
    </Button>
  )
  return (
    <>
      <div className={classes.head}>
        <Title order={1} fz="h2">
          Definitions
        </Title>
        {create}
      </div>
      <search className={classes.tools}>
        <TextInput
          className={classes.search}
          aria-label="Search the definitions"
          placeholder="Search name, title, description"
          leftSection={<IconSearch size={18} aria-hidden />}
          rightSection={search !== '' && <CloseButton aria-label="Clear the search" onClick={() => setSearch('')} />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        <SegmentedControl
          aria-label="Which definitions"
          value={shown}
          onChange={setShown}
          data={[
            { value: 'use', label: 'In use' },
            { value: 'archived', label: 'Archived' },
            { value: 'all', label: 'All' },
          ]}
        />
      </search>
      <VisuallyHidden role="status">{last !== undefined && `${total} found`}</VisuallyHidden>
      {last === undefined && <Unread what="the definitions" error={live.error} />}
      {last !== undefined && found.length === 0 && <NoneFound isSearch={last.asked.isSearch} mayEdit={mayEdit} />}
      {found.length > 0 && (
        <ul className={classes.rows} aria-label="Definitions">
          {found.map((definition) => (
            <DefinitionRow key={definition.id} definition={definition} />
          ))}
        </ul>
      )}
      {total > found.length && (
        <p className={classes.more}>
          {found.length} of {total}
          {first < MOST && (
            <Button variant="default" onClick={() => setFirst(Math.min(MOST, first * 2))}>
              Show more
            </Button>
          )}
        </p>
      )}
      <NewDefinition opened={isNew} onClose={() => setNew(false)} />
    </>
  )
}

function NoneFound({ isSearch, mayEdit }: { isSearch: boolean; mayEdit: boolean }) {
  if (isSearch) {
    return (
      <Empty icon={IconFileSearch} title="Nothing is found" level={2}>
        <p>Search for less of its name, or look at all definitions.</p>
      </Empty>
    )
  }
  return (
    <Empty icon={IconTimeline} title="There is no definition yet" level={2}>
      <p>
        {mayEdit
          ? 'A definition says what an event does, step by step. Press “New definition”, or send one as a file with '
          : 'A definition says what an event does, step by step. An admin makes one here, or with '}
        <code>cuelight apply</code>.
      </p>
    </Empty>
  )
}
