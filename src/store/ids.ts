import { createHash } from 'node:crypto'
import { v7 } from 'uuid'
import { formatId } from '../domain/ids.ts'

/** A new row's id: a UUID that sorts by the time it was made, so that new rows land side by side in their index. */
export const mintId = (): string => v7()

/**
 * What the world can recognise a repeated call of one step by: 40 hex digits, the same for every attempt.
 * Takes bare UUIDs; the ids are hashed as the API shows them, so that a module's author can compute the key too.
 */
export function idempotencyKeyOf(runUuid: string, stepUuid: string): string {
  const ids = `${formatId('Run', runUuid)}|${formatId('Step', stepUuid)}`
  return createHash('sha256').update(ids).digest('hex').slice(0, 40)
}

/** What a new step of a run is known by. */
export function mintStep(runUuid: string): { id: string; idempotencyKey: string } {
  const id = mintId()
  return { id, idempotencyKey: idempotencyKeyOf(runUuid, id) }
}
