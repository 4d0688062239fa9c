import * as log from './log.ts'
import type { Yield } from './outcome.ts'
import type { Draft, Instant, Step } from './picture.ts'

/**
 * Puts what an answer says to have made into the ledger, in place of the placeholder. `module` is that of an action that
 * can take it back; null: nothing could, so that it is only said. A rehearsal changes nothing in the world.
 */
export function keepResources(
  draft: Draft,
  step: Step,
  {
    resources,
    module,
    now,
    mint,
  }: Pick<Yield, 'resources'> & { module: string | null; now: Instant; mint: () => string },
): void {
  if (draft.facts.rehearsal) return
  if (module === null) {
    if (resources.length > 0) draft.lines.push(log.stepMessage({ at: now, step }, { message: NOT_KEPT, level: 'warn' }))
    return
  }
  draft.answered.add(step.id)
  const made = resources.map((resource) => ({ ...resource, id: mint(), stepId: step.id, module, createdAt: now }))
  for (const resource of made) {
    draft.resources.push(resource)
    draft.lines.push(log.resourceCreated({ at: now, resource: { ...resource, step } }))
    if (resource.leaseUntil !== null) lookAtLedger(draft, Date.parse(resource.leaseUntil))
  }
  // The placeholder that goes was unresolved.
  const unresolved = Math.max(0, draft.ledger.unresolved - 1) + made.length
  draft.ledger = { ...draft.ledger, unresolved }
}

const NOT_KEPT =
  "Resources in its answer were not kept, and nobody will take them back: the action is not reversible. Give it reversible: 'revert'."

/** The run is over: what it left in the world is taken back from now on. */
export function beginCleanup(draft: Draft, now: Instant): void {
  const { run } = draft
  const { resolved, unresolved } = draft.ledger
  if (unresolved === 0 && !resolved) return
  const to = unresolved > 0 ? 'PENDING' : 'CLEAN'
  draft.lines.push(log.cleanupStatus({ at: now, phase: run.currentPhase }, { from: run.cleanupStatus, to, unresolved }))
  run.cleanupStatus = to
  if (unresolved > 0) lookAtLedger(draft, now)
}

/** The ledger has to be looked at no later than then. */
export function lookAtLedger(draft: Draft, at: Instant): void {
  draft.ledgerAt = Math.min(draft.ledgerAt ?? at, at)
}
