import { Button, Table } from '@mantine/core'
import type { TokenRowFragment } from '../../generated/console/documents.ts'
import { useConnection } from '../api/connection-context.ts'
import { Instant } from '../time/instant.tsx'
import { useMinute } from '../time/now.ts'
import { Chip } from '../ui/chip.tsx'
import { useAsk } from '../ui/control-host.tsx'
import { revokeControl } from './revoke-control.ts'
import { holds } from './token-words.ts'
import classes from './tokens.module.css'

type TokenTableProps = { tokens: readonly TokenRowFragment[]; onChange(): void }

/** Tokens, newest first: a table, and on a phone a card for each. */
export function TokenTable({ tokens, onChange }: TokenTableProps) {
  return (
    <div className={classes.box}>
      <Table className={classes.table} verticalSpacing={8} horizontalSpacing="md">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>Role</Table.Th>
            <Table.Th>Last used</Table.Th>
            <Table.Th>Holds</Table.Th>
            <Table.Th>Made</Table.Th>
            <Table.Th>
              <span className={classes.hidden}>What may be done</span>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {tokens.map((token) => (
            <TokenLine key={token.id} token={token} onChange={onChange} />
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}

function TokenLine({ token, onChange }: { token: TokenRowFragment; onChange(): void }) {
  const { client } = useConnection()
  const ask = useAsk()
  const isHeld = holds(token, useMinute())
  return (
    <Table.Tr className={isHeld ? undefined : classes.over}>
      <Table.Td className={classes.name}>{token.name}</Table.Td>
      <Table.Td data-label="Role">
        <Chip tone={token.role === 'ADMIN' ? 'info' : 'calm'}>{token.role}</Chip>
      </Table.Td>
      <Table.Td data-label="Last used">
        {token.lastUsedAt === null ? 'never' : <Instant at={token.lastUsedAt} zone={null} />}
      </Table.Td>
      <Table.Td data-label="Holds">
        <Until token={token} isHeld={isHeld} />
      </Table.Td>
      <Table.Td data-label="Made">
        <Instant at={token.createdAt} zone={null} />
      </Table.Td>
      <Table.Td className={classes.act}>
        {isHeld && (
          <Button
            size="xs"
            variant="default"
            aria-label={`Revoke ${token.name}`}
            onClick={() => ask(revokeControl(client, token), onChange)}
          >
            Revoke …
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  )
}

function Until({ token: { revokedAt, expiresAt }, isHeld }: { token: TokenRowFragment; isHeld: boolean }) {
  if (revokedAt !== null) {
    return (
      <>
        revoked <Instant at={revokedAt} zone={null} />
      </>
    )
  }
  if (expiresAt === null) return 'until it is revoked'
  return (
    <>
      {isHeld ? 'until' : 'expired'} <Instant at={expiresAt} zone={null} />
    </>
  )
}
