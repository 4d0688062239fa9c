import type { Client } from '@urql/core'
import { LastChangesDocument } from '../../generated/console/documents.ts'

/** Who wrote at a definition since an instant, and when; null: nothing tells. */
export async function whoChanged(
  client: Client,
  definitionId: string,
  since: string,
): Promise<{ name: string; at: string } | null> {
  const { data } = await client.query(LastChangesDocument, {}, { requestPolicy: 'network-only' })
  const entry = data?.auditLog.edges
    .map(({ node }) => node)
    .find(
      ({ subject, action, at }) =>
        subject === definitionId && action === 'definition.update' && Date.parse(at) > Date.parse(since),
    )
  return entry === undefined ? null : { name: entry.actor.name, at: entry.at }
}
