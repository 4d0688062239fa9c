import { Button, Select } from '@mantine/core'
import { IconClipboardOff } from '@tabler/icons-react'
import { AuditDocument } from '../../generated/console/documents.ts'
import { useLive } from '../api/live-query.ts'
import { useLookAgain } from '../api/look-again.ts'
import { usePageTitle } from '../shell/page-title.ts'
import { DayRange } from '../ui/day-range.tsx'
import { Empty } from '../ui/empty.tsx'
import { Filters } from '../ui/filters.tsx'
import { NeedsRole } from '../ui/needs-role.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { pageArguments } from '../ui/page-place.ts'
import { Pager } from '../ui/pager.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { Total } from '../ui/total.tsx'
import { UnreadPage } from '../ui/unread.tsx'
import classes from './audit.module.css'
import { AuditGroup } from './audit-entry.tsx'
import { groupsOf, keyOfGroup } from './audit-groups.ts'
import { type AuditSearch, auditFilter } from './audit-search.ts'
import { AUDIT_ACTIONS } from './audit-words.ts'
import { useSubjects } from './subjects.ts'

const PAGE = 50

type AuditPageProps = { search: AuditSearch; onSearch(search: AuditSearch): void }

export function AuditPage(props: AuditPageProps) {
  usePageTitle('Audit log')
  return (
    <NeedsRole needed="ADMIN" what="The audit log">
      <Audit {...props} />
    </NeedsRole>
  )
}

/** Who did what to everything that is not a run, newest first. */
function Audit({ search, onSearch }: AuditPageProps) {
  const { data, error, refresh } = useLive(
    { query: AuditDocument, variables: { filter: auditFilter(search), ...pageArguments(search, PAGE) } },
    null,
  )
  useLookAgain(refresh)
  const entries = data?.auditLog.edges ?? []
  const names = useSubjects(entries.map(({ node }) => node.subject))
  const { after: _after, before: _before, ...filter } = search
  const isFiltered = Object.keys(filter).length > 0

  return (
    <>
      <PageHead title="Audit log">
        Who changed events, schedules, settings and tokens. What was done to a run is in its own log.
      </PageHead>
      <AuditFilters filter={filter} onFilter={onSearch} />
      {data === undefined && (
        <UnreadPage what="the audit log" error={error} place={search} onFront={() => onSearch(filter)} />
      )}
      {data !== undefined && (
        <>
          <Total count={data.auditLog.totalCount} one="entry" many="entries" />
          {entries.length === 0 ? (
            <Empty
              icon={IconClipboardOff}
              title={isFiltered ? 'No entry matches' : 'Nothing was changed yet'}
              level={2}
            >
              {isFiltered ? (
                <Button variant="default" onClick={() => onSearch({})}>
                  Show all entries
                </Button>
              ) : (
                <p>Publish an event, create a token or set an action: it is kept here with who did it.</p>
              )}
            </Empty>
          ) : (
            <ol className={classes.entries} aria-label="Entries">
              {groupsOf(entries).map((edges) => (
                <AuditGroup
                  key={keyOfGroup(edges)}
                  edges={edges}
                  name={names.get(edges[0].node.subject ?? '') ?? null}
                  onSubject={(subject) => onSearch({ subject })}
                />
              ))}
            </ol>
          )}
          <Pager
            what="the audit log"
            page={data.auditLog.pageInfo}
            onTurn={(place) => onSearch({ ...filter, ...place })}
          />
        </>
      )}
    </>
  )
}

type AuditFiltersProps = { filter: AuditSearch; onFilter(filter: AuditSearch): void }

function AuditFilters({ filter, onFilter }: AuditFiltersProps) {
  const set = (change: { [Name in keyof AuditSearch]: AuditSearch[Name] | null }) =>
    onFilter(Object.fromEntries(Object.entries({ ...filter, ...change }).filter(([, value]) => value)))
  const count = Object.keys(filter).length
  return (
    <Filters count={count} onClear={() => onFilter({})}>
      <SearchField label="Who" placeholder="Anybody" value={filter.who ?? ''} onSearch={(who) => set({ who })} />
      <Select
        label="What"
        placeholder="Anything"
        data={AUDIT_ACTIONS.map(({ action, label }) => ({ value: action, label }))}
        value={filter.action ?? null}
        onChange={(action) => set({ action })}
        clearable
      />
      <DayRange from={filter.from} to={filter.to} onChange={set} />
    </Filters>
  )
}
