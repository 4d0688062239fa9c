import type { Actor } from '../domain/actor.ts'
import type { Issue } from '../domain/issue.ts'
import { joinPath } from '../domain/issue-path.ts'
import { MAX_JSON_DEPTH, nestsDeeperThan } from '../domain/storable.ts'
import { keyProblem, shownKeyProblem } from '../domain/template.ts'
import { type EmissionResult, tallyTrigger } from '../store/triggers.ts'
import type { ControlContext } from './context.ts'
import { invalid, type Result } from './result.ts'

export type EmitTriggerInput = {
  /** Id of a registered trigger. */
  trigger: string
  payload?: Record<string, unknown> | null
  /** Omitted: runs of every scope. */
  scope?: string | null
  dedupeKey?: string | null
  /** True: rehearsals only; else real runs only. */
  rehearsal?: boolean | null
}

/** Every run that it meets keeps the payload. */
const MAX_PAYLOAD = 65_536

/**
 * Tells the runs that something happened outside. It counts for each gate that waits for it now and whose condition its
 * payload meets, durably before this answers. The same `dedupeKey` within a day counts once and is answered alike.
 */
export async function emitTrigger(
  ctx: ControlContext,
  actor: Actor,
  input: EmitTriggerInput,
): Promise<Result<{ duplicate: boolean } & EmissionResult>> {
  const { trigger, scope = null, dedupeKey = null, rehearsal } = input
  const payload = input.payload ?? {}
  const issues = issuesOf(ctx, { trigger, payload, scope, dedupeKey })
  if (issues.length > 0) return invalid(issues)
  const emission = { trigger, payload, scope, dedupeKey, rehearsal: rehearsal ?? false, actor }
  const { duplicate, result, lines, opened } = await tallyTrigger(ctx.db.prisma, emission, ctx.clock)
  for (const line of lines) ctx.changes.publish({ ...line, cues: false })
  if (opened) ctx.changes.wake()
  return { duplicate, ...result }
}

type Given = { trigger: string; payload: Record<string, unknown>; scope: string | null; dedupeKey: string | null }

function issuesOf({ catalog }: ControlContext, { trigger, payload, scope, dedupeKey }: Given): Issue[] {
  const issues: Issue[] = []
  const registered = catalog.trigger(trigger)
  if (registered === undefined) issues.push({ path: 'trigger', message: catalog.whyMissing(trigger) })
  const payloadProblem = problemOfPayload(payload)
  if (payloadProblem !== null) issues.push({ path: 'payload', message: payloadProblem })
  else if (registered !== undefined) {
    const found = registered.checkPayload(payload)
    issues.push(...found.map((issue) => ({ ...issue, path: joinPath('payload', issue.path) })))
  }
  const scopeProblem = scope === null ? null : shownKeyProblem(scope)
  if (scopeProblem !== null) issues.push({ path: 'scope', message: `The scope ${scopeProblem}` })
  const dedupeProblem =
    dedupeKey === null ? null : dedupeKey === '' ? 'must not be empty; leave it out.' : keyProblem(dedupeKey)
  if (dedupeProblem !== null) issues.push({ path: 'dedupeKey', message: `The dedupeKey ${dedupeProblem}` })
  return issues
}

function problemOfPayload(payload: Record<string, unknown>): string | null {
  if (nestsDeeperThan(payload, MAX_JSON_DEPTH))
    return `The payload may nest at most ${MAX_JSON_DEPTH} deep; make it flatter.`
  const length = JSON.stringify(payload).length
  return length > MAX_PAYLOAD
    ? `The payload may have at most ${MAX_PAYLOAD} characters as JSON, and has ${length}; send less, such as a reference to the rest.`
    : null
}
