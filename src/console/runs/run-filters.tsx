import { MultiSelect, Select } from '@mantine/core'
import { EventChoicesDocument, type RunStatus } from '../../generated/console/documents.ts'
import { useLive } from '../api/live-query.ts'
import { DayRange } from '../ui/day-range.tsx'
import { Filters } from '../ui/filters.tsx'
import { wordOf } from '../ui/run-status.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { type RunsSearch, runsSearch, STATUSES } from './runs-search.ts'

const NOTHING = {}

const HEALTHS = [
  { value: 'OK', label: 'OK' },
  { value: 'DEGRADED', label: 'Degraded' },
  { value: 'STALLED', label: 'Stalled' },
]
const CLEANUPS = [
  { value: 'INCOMPLETE', label: 'Incomplete' },
  { value: 'PENDING', label: 'Going on' },
  { value: 'CLEAN', label: 'All taken back' },
  { value: 'NOT_REQUIRED', label: 'Nothing to take back' },
]
const KINDS = [
  { value: 'real', label: 'Real runs' },
  { value: 'rehearsal', label: 'Rehearsals' },
]

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

type RunFiltersProps = { search: RunsSearch; onSearch(search: RunsSearch): void }

/** Which runs are listed. A new choice begins at the front again. */
export function RunFilters({ search, onSearch }: RunFiltersProps) {
  const { data } = useLive({ query: EventChoicesDocument, variables: NOTHING }, null)
  const events = (data?.definitions.edges ?? []).map(({ node }) => ({
    value: node.id,
    label: `${node.title} (${node.slug})`,
  }))
  const set = (change: Record<string, unknown>) => onSearch(runsSearch({ ...search, ...change }))
  return (
    <Filters count={Object.keys(search).length} onClear={() => onSearch({})}>
      <MultiSelect
        label="Status"
        placeholder={search.status === undefined ? 'Any' : ''}
        data={STATUSES.map((status) => ({ value: status, label: capital(wordOf(status)) }))}
        value={search.status ?? []}
        onChange={(status: string[]) => set({ status: status as RunStatus[] })}
        clearable
      />
      <Select
        label="Event"
        placeholder="Any"
        data={events}
        value={search.event ?? null}
        onChange={(event) => set({ event })}
        searchable
        clearable
      />
      <SearchField label="Scope" placeholder="Any" value={search.scope ?? ''} onSearch={(scope) => set({ scope })} />
      <Select
        label="Health"
        placeholder="Any"
        data={HEALTHS}
        value={search.health ?? null}
        onChange={(health) => set({ health })}
        clearable
      />
      <Select
        label="Cleanup"
        placeholder="Any"
        data={CLEANUPS}
        value={search.cleanup ?? null}
        onChange={(cleanup) => set({ cleanup })}
        clearable
      />
      <Select
        label="Kind"
        placeholder="Both"
        data={KINDS}
        value={search.kind ?? null}
        onChange={(kind) => set({ kind })}
        clearable
      />
      <DayRange from={search.from} to={search.to} onChange={set} />
    </Filters>
  )
}
