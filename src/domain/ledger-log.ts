import type { Actor } from './actor.ts'
import { formatId } from './ids.ts'
import { type At, clock, iso, line, type RunLine, sentence, tail } from './log-line.ts'
import type { CleanupStatus } from './run.ts'

/** What stands for a step of which nobody knows what it made. Kinds of a module's own never start with `@`. */
export const PLACEHOLDER_KIND = '@step'

/** What the log has to know of something in the ledger; `id` is a bare UUID. */
export type LoggedResource = {
  id: string
  kind: string
  ref: string
  step: { id: string; phase: string; label: string | null; actionId: string }
}

type OfResource = At & { resource: LoggedResource }

function resourceLine(
  kind: string,
  where: OfResource,
  detail: Record<string, unknown>,
  say: (what: string) => string,
): RunLine {
  const { resource } = where
  const about = { resourceId: formatId('Resource', resource.id), kind: resource.kind, ref: resource.ref }
  return {
    ...line(kind, { ...where, phase: resource.step.phase }, { ...about, ...detail }, sentence(say(nameOf(resource)))),
    stepId: resource.step.id,
  }
}

/** What people call something in the ledger. */
function nameOf({ kind, ref, step }: Pick<LoggedResource, 'kind' | 'ref' | 'step'>): string {
  return kind === PLACEHOLDER_KIND ? `what "${step.label ?? step.actionId}" may have made` : `${kind} ${ref}`
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** A step made something that has to be taken back in the end. */
export const resourceCreated = (where: OfResource): RunLine =>
  resourceLine('resource.created', where, {}, (what) => `"${titleOf(where)}" made ${what}`)

/** Something was taken back. */
export const resourceReverted = (where: OfResource, detail: { attempts: number }): RunLine =>
  resourceLine('resource.reverted', where, detail, (what) => `${capital(what)} was taken back`)

/** Something could not be taken back: it is left until a person decides. */
export const resourceFailed = (where: OfResource, detail: { attempts: number; error: string }): RunLine =>
  resourceLine(
    'resource.failed',
    where,
    detail,
    (what) => `${capital(what)} could not be taken back${tail(detail.error)}`,
  )

/** Taking something back failed for the moment: it is tried again, as a step is. */
export const revertRetry = (
  where: OfResource,
  detail: { attempt: number; of: number; dueAt: number; error: string },
): RunLine =>
  resourceLine(
    'step.retry',
    where,
    { action: where.resource.step.actionId, ...detail, dueAt: iso(detail.dueAt) },
    (what) =>
      `${capital(what)} could not be taken back in attempt ${detail.attempt} of ${detail.of} and is tried again at ${clock(detail.dueAt)}${tail(detail.error)}`,
  )

/** Who was taking something back is dead: its claim is over. */
export const revertReclaimed = (where: OfResource, detail: { previousOwner: string; attempts: number }): RunLine =>
  resourceLine(
    'step.reclaimed',
    where,
    detail,
    (what) =>
      `Taking back ${what} was taken over from ${detail.previousOwner}, which stopped answering in attempt ${detail.attempts}`,
  )

/** What came of taking something back came when nobody waited for it any more. */
export const revertLate = (where: OfResource, outcome: string): RunLine =>
  resourceLine(
    'step.late',
    where,
    { action: where.resource.step.actionId, outcome },
    (what) =>
      `An answer about taking back ${what} came after its claim had been taken back and changed nothing${tail(outcome)}`,
  )

/** A person decided to leave something in the world. */
export const resourceAbandoned = (where: OfResource & { actor: Actor }, detail: { reason: string }): RunLine =>
  resourceLine(
    'resource.abandoned',
    where,
    detail,
    (what) => `${where.actor.name} abandoned ${what}${tail(detail.reason)}`,
  )

const titleOf = ({ resource: { step } }: OfResource) => step.label ?? step.actionId

const CLEANUP_TEXT: Record<CleanupStatus, string> = {
  NOT_REQUIRED: 'Nothing has to be taken back.',
  PENDING: 'What the run left in the world is being taken back.',
  CLEAN: 'Nothing of what the run made is left to be dealt with.',
  INCOMPLETE:
    'Not all of what the run left in the world could be taken back: retry the cleanup, or abandon what is left.',
}

/** How far taking back has got; `unresolved`: how much is left to be dealt with. */
export function cleanupStatus(
  where: At,
  change: { from: CleanupStatus; to: CleanupStatus; unresolved?: number },
): RunLine {
  return line('cleanup.status', where, change, CLEANUP_TEXT[change.to])
}
