import { Button, Table } from '@mantine/core'
import { IconPackageOff } from '@tabler/icons-react'
import { type CleanupStatus, type ResourceStatus, RunLedgerDocument } from '../../generated/console/documents.ts'
import { useConnection } from '../api/connection-context.ts'
import { useLive } from '../api/live-query.ts'
import { useMay } from '../session/viewer-context.ts'
import { Instant } from '../time/instant.tsx'
import { useStepName } from '../ui/action-names.tsx'
import { Chip, type Tone } from '../ui/chip.tsx'
import { useAsk } from '../ui/control-host.tsx'
import { Empty } from '../ui/empty.tsx'
import { Unread } from '../ui/unread.tsx'
import classes from './run.module.css'
import type { RunChanges } from './run-changes.ts'
import { abandonControl } from './run-controls.ts'

const STATUS: Record<ResourceStatus, { word: string; tone: Tone }> = {
  ACTIVE: { word: 'There', tone: 'live' },
  REVERTING: { word: 'Being taken back', tone: 'info' },
  REVERTED: { word: 'Taken back', tone: 'calm' },
  FAILED: { word: 'Could not be taken back', tone: 'bad' },
  ABANDONED: { word: 'Left there', tone: 'wait' },
}

type LedgerProps = {
  runId: string
  changes: RunChanges
  timeZone: string
  cleanup: CleanupStatus
}

/** On a phone the table is wider than the page, and nothing in it may have the focus. */
const SCROLLED_BY_KEYS = { tabIndex: 0, role: 'region', 'aria-label': 'Ledger' }

/** What the run left in the world, and what became of it. */
export function Ledger({ runId, changes, timeZone, cleanup }: LedgerProps) {
  const { client } = useConnection()
  const ask = useAsk()
  const mayAbandon = useMay('ADMIN')
  const stepName = useStepName()
  const { data, error, refresh } = useLive({ query: RunLedgerDocument, variables: { id: runId } }, changes)
  if (data === undefined) return <Unread what="the ledger" error={error} />
  const resources = data.run?.resources ?? []
  if (resources.length === 0) {
    return (
      <Empty icon={IconPackageOff} title="Nothing was left in the world">
        <p>What a step makes that can be taken back is listed here, and taken back when the run ends.</p>
      </Empty>
    )
  }
  return (
    <Table.ScrollContainer minWidth={520} scrollAreaProps={{ viewportProps: SCROLLED_BY_KEYS }}>
      <Table verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>What</Table.Th>
            <Table.Th>Made</Table.Th>
            <Table.Th>State</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {resources.map((resource) => (
            <Table.Tr key={resource.id}>
              <Table.Td>
                <strong>{resource.kind}</strong> <code>{resource.ref}</code>
                {resource.lastError !== null && <p className={classes.error}>{resource.lastError}</p>}
              </Table.Td>
              <Table.Td>
                <Instant at={resource.createdAt} zone={timeZone} />
                {resource.step !== null && (
                  <div className={classes.dim}>
                    by <bdi>{stepName(resource.step)}</bdi>
                  </div>
                )}
                {resource.leaseUntil !== null && (
                  <div className={classes.dim}>
                    until <Instant at={resource.leaseUntil} zone={timeZone} />
                  </div>
                )}
              </Table.Td>
              <Table.Td>
                <Chip tone={STATUS[resource.status].tone}>{STATUS[resource.status].word}</Chip>
                {resource.status === 'FAILED' && cleanup === 'INCOMPLETE' && mayAbandon && (
                  <Button
                    size="compact-sm"
                    variant="default"
                    ml={8}
                    onClick={() => ask(abandonControl(client, resource), refresh)}
                  >
                    Leave it …
                  </Button>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
