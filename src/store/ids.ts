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
  return keyOf(`${formatId('Run', runUuid)}|${formatId('Step', stepUuid)}`)
}

/** What a new step of a run is known by. */
export function mintStep(runUuid: string): { id: string; idempotencyKey: string } {
  const id = mintId()
  return { id, idempotencyKey: idempotencyKeyOf(runUuid, id) }
}

/**
 * How the ids of steps begin that the database makes now: with the time and the version of a UUID that sorts by it, 15
 * characters up to where chance begins.
 */
export const stepIdBeginning = (): string => mintId().slice(0, 15)

/**
 * The same for the call of a step in a verification, where there is neither run nor step: it is made of
 * `verify|<version id>|<phase key>|<seq>`, or `verify|<definition id>|<phase key>|<seq>` for a draft, ids as the API
 * shows them. `of` is such an id.
 */
export function verifyKeyOf(of: string, { phase, seq }: { phase: string; seq: number }): string {
  return keyOf(`verify|${of}|${phase}|${seq}`)
}

const keyOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 40)
