import { Table } from '@mantine/core'
import { IconCheck, IconHeartOff, IconServerOff } from '@tabler/icons-react'
import { showSpan } from '../time/clock-text.ts'
import { Instant } from '../time/instant.tsx'
import { Chip } from '../ui/chip.tsx'
import { Empty } from '../ui/empty.tsx'
import classes from './runner.module.css'
import { type Instance, isSilent } from './runner-words.ts'

/** On a phone the table is wider than the page, and nothing in it may have the focus. */
const SCROLLED_BY_KEYS = { tabIndex: 0, role: 'region', 'aria-label': 'Processes' }

type InstanceTableProps = {
  instances: readonly Instance[]
  /** When they were read: the server's time in milliseconds. */
  readAt: number
}

/** Each process of the runner, the oldest first, as it was when that was read. */
export function InstanceTable({ instances, readAt }: InstanceTableProps) {
  if (instances.length === 0) {
    return (
      <Empty icon={IconServerOff} title="No process is there">
        <p>
          A server that runs is listed within seconds of its start. One that stopped in order is off the list at once.
        </p>
      </Empty>
    )
  }
  return (
    <div className={classes.box}>
      <Table.ScrollContainer minWidth={640} scrollAreaProps={{ viewportProps: SCROLLED_BY_KEYS }}>
        <Table verticalSpacing={8} horizontalSpacing="md">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Machine</Table.Th>
              <Table.Th>State</Table.Th>
              <Table.Th>Last seen</Table.Th>
              <Table.Th ta="right">In hand</Table.Th>
              <Table.Th>Works since</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {instances.map((instance) => (
              <Table.Tr key={instance.id}>
                <Table.Td>
                  <strong>{instance.host}</strong> <span className={classes.dim}>process {instance.pid}</span>
                  <div className={classes.id}>{instance.id}</div>
                </Table.Td>
                <Table.Td>
                  {isSilent(instance, readAt) ? (
                    <Chip tone="bad" icon={IconHeartOff}>
                      Silent
                    </Chip>
                  ) : (
                    <Chip tone="live" icon={IconCheck}>
                      Works
                    </Chip>
                  )}
                </Table.Td>
                <Table.Td>{showSpan(readAt - Date.parse(instance.lastSeenAt))} ago</Table.Td>
                <Table.Td ta="right">{instance.working}</Table.Td>
                <Table.Td>
                  <Instant at={instance.startedAt} zone={null} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </div>
  )
}
