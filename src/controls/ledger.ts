import type { Actor } from '../domain/actor.ts'
import { formatId } from '../domain/ids.ts'
import { resourceAbandoned } from '../domain/log.ts'
import { readAbandonment, readRetryOf } from '../store/controls-made.ts'
import { abandonResourceIfFailed, type ResourceForControl, readResourceForControl } from '../store/ledger-controls.ts'
import type { ControlContext } from './context.ts'
import { requiredReason } from './reason.ts'
import { conflict, invalid, notFound, type Refusal, type Result } from './result.ts'
import { shownControl, whoDid, whoWasFirst } from './who-was-first.ts'

/** Leaves in the world what could not be taken back, for good. */
export async function abandonResource(
  ctx: ControlContext,
  actor: Actor,
  input: { resourceId: string; reason: string },
): Promise<Result<{ resourceId: string }>> {
  const { resourceId } = input
  const reason = requiredReason(input.reason)
  if (!reason.ok) return invalid([reason.issue])
  for (;;) {
    const now = ctx.clock.now()
    const resource = await readResourceForControl(ctx.db.controls, resourceId)
    if (resource === null) {
      const id = formatId('Resource', resourceId)
      return notFound(`There is no resource ${id}; list those of the run to find the one you mean.`)
    }
    const { runId, runStatus, status, cleanupStatus } = resource
    if (status !== 'FAILED' || cleanupStatus !== 'INCOMPLETE') return refuse(ctx, resource, now)
    const written = await abandonResourceIfFailed(ctx.db.controls, {
      runId,
      resourceId,
      now,
      from: runStatus,
      line: resourceAbandoned({ at: now, actor, resource }, { reason: reason.text }),
    })
    if (written === null) continue
    ctx.changes.publish({ runId, line: written, cues: false })
    return { resourceId }
  }
}

async function refuse({ db }: ControlContext, resource: ResourceForControl, now: number): Promise<Refusal> {
  const { id, status, cleanupStatus, runId } = resource
  const ofIt = { runId, resourceId: formatId('Resource', id) }
  const abandoned = await readAbandonment(db.controls, ofIt)
  const first = abandoned ?? (await readRetryOf(db.controls, ofIt))
  const who = abandoned === null ? whoWasFirst(first, now, 'its run') : whoDid(abandoned, 'abandoned this', now)
  const message = `The resource is ${status} and its run's cleanup is ${cleanupStatus}; this needs one that is FAILED, of a run whose cleanup is INCOMPLETE.${who}`
  return conflict(message, { runId, lastControl: shownControl(first) })
}
