import { Button, Select, Text, TextInput } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconArrowDown, IconFileOff, IconFileText, IconSearch } from '@tabler/icons-react'
import { useDeferredValue, useEffect, useMemo, useState } from 'react'
import type { CleanupStatus, PlannedPhaseFragment, RunStatus } from '../../generated/console/documents.ts'
import { useConnection } from '../api/connection-context.ts'
import { useSignal } from '../api/signal.ts'
import { Empty } from '../ui/empty.tsx'
import classes from './log.module.css'
import { EVERYTHING, filtered, type LogFilter } from './log-filter.ts'
import { LogLineDetail } from './log-line-detail.tsx'
import { LogLines } from './log-lines.tsx'
import { type LogLine, LogStore } from './log-store.ts'

type LogPanelProps = {
  runId: string
  phases: readonly PlannedPhaseFragment[]
  timeZone: string
  status: RunStatus
  cleanup: CleanupStatus
}

const count = new Intl.NumberFormat('en')

/** What happened, line by line, as it is written; searched and filtered as a whole. */
export function LogPanel({ runId, phases, timeZone, status, cleanup }: LogPanelProps) {
  const { socket } = useConnection()
  const [store] = useState(() => new LogStore())
  // A log that has ended goes on when somebody tries the cleanup again: followed anew with each state of the run.
  const phaseOfLife = `${status} ${cleanup}`
  useEffect(() => (phaseOfLife === '' ? undefined : store.follow(socket, runId)), [store, socket, runId, phaseOfLife])
  const log = useSignal(store.state)
  const [filter, setFilter] = useState<LogFilter>(EVERYTHING)
  const applied = useDeferredValue(filter)
  const shown = useMemo(() => filtered(log, applied), [log, applied])
  const [isFollowing, setFollowing] = useState(true)
  const [selected, setSelected] = useState<LogLine | null>(null)
  const isNarrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false })
  const isFiltered = shown !== log.lines

  if (log.isOver && log.lines.length === 0)
    return (
      <Empty icon={IconFileOff} title="Its log was deleted">
        <Text size="sm">
          Logs are kept for as long as the server is set to, from when the run has ended; all else of the run is there.
        </Text>
      </Empty>
    )
  if (log.refused !== null) return <Empty icon={IconFileText} title={log.refused} />
  return (
    <div className={classes.panel}>
      <div className={classes.bar}>
        <TextInput
          aria-label="Search the log"
          placeholder="Search"
          leftSection={<IconSearch size={16} aria-hidden />}
          value={filter.search}
          onChange={(event) => setFilter({ ...filter, search: event.currentTarget.value })}
          className={classes.search}
        />
        <Select
          aria-label="Kind of line"
          placeholder="Every kind"
          data={[...log.kinds]}
          value={filter.kind}
          onChange={(kind) => setFilter({ ...filter, kind })}
          clearable
          searchable
          className={classes.select}
        />
        <Select
          aria-label="Phase"
          placeholder="Every phase"
          data={phases.map(({ key, label }) => ({ value: key, label }))}
          value={filter.phase}
          onChange={(phase) => setFilter({ ...filter, phase })}
          clearable
          className={classes.select}
        />
        <span className={classes.count} role="status">
          {isFiltered && `${count.format(shown.length)} of `}
          {log.lines.length === 1 ? '1 line' : `${count.format(log.lines.length)} lines`}
        </span>
        <Button
          variant={isFollowing ? 'filled' : 'default'}
          size="sm"
          aria-pressed={isFollowing}
          leftSection={<IconArrowDown size={16} aria-hidden />}
          onClick={() => setFollowing(!isFollowing)}
        >
          Follow
        </Button>
      </div>
      {shown.length === 0 && isFiltered ? (
        <Empty icon={IconSearch} title="No line matches">
          <Button variant="default" onClick={() => setFilter(EVERYTHING)}>
            Show all lines
          </Button>
        </Empty>
      ) : (
        <LogLines
          lines={shown}
          count={shown.length}
          isNarrow={isNarrow}
          isFollowing={isFollowing}
          onFollowing={setFollowing}
          selected={selected?.line ?? null}
          onSelect={setSelected}
        />
      )}
      {selected !== null && <LogLineDetail line={selected} timeZone={timeZone} onClose={() => setSelected(null)} />}
    </div>
  )
}
