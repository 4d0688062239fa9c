import { Table } from '@mantine/core'
import { IconUsers } from '@tabler/icons-react'
import { RunParticipantsDocument } from '../../generated/console/documents.ts'
import { useLive } from '../api/live-query.ts'
import { Empty } from '../ui/empty.tsx'
import { Unread } from '../ui/unread.tsx'
import classes from './run.module.css'
import type { RunChanges } from './run-changes.ts'

type ParticipantsProps = { runId: string; isOver: boolean; changes: RunChanges }

/** Who takes part, by rank once results are published. */
export function Participants({ runId, isOver, changes }: ParticipantsProps) {
  const { data, error } = useLive({ query: RunParticipantsDocument, variables: { id: runId } }, changes)
  if (data === undefined) return <Unread what="who takes part" error={error} />
  const people = data.run?.participants ?? []
  const all = data.run?.participantCount ?? 0
  if (people.length === 0) {
    return (
      <Empty icon={IconUsers} title={isOver ? 'Nobody took part' : 'Nobody takes part yet'}>
        <p>Actions name who takes part and how they score; core.publish-results ranks them.</p>
      </Empty>
    )
  }
  return (
    <>
      {all > people.length && (
        <p className={classes.dim}>
          The first {people.length} of {all}.
        </p>
      )}
      <Table verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Rank</Table.Th>
            <Table.Th>Who</Table.Th>
            <Table.Th ta="right">Score</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {people.map(({ memberKey, userId, rank, score }) => (
            <Table.Tr key={memberKey}>
              <Table.Td>{rank ?? '–'}</Table.Td>
              <Table.Td>
                <bdi>{memberKey}</bdi>
                {userId !== null && <span className={classes.dim}> {userId}</span>}
              </Table.Td>
              <Table.Td ta="right">{score ?? '–'}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </>
  )
}
