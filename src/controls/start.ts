import type { Actor } from '../domain/actor.ts'
import type { BudgetCap } from '../domain/budget.ts'
import { graceUntil } from '../domain/grace.ts'
import { formatId } from '../domain/ids.ts'
import type { Issue } from '../domain/issue.ts'
import * as log from '../domain/log.ts'
import { resolveParams } from '../domain/parameters.ts'
import { firstSteps } from '../domain/progress.ts'
import { parseParameters, parseVersionSpec, type VersionSpec } from '../domain/spec.ts'
import { isStorable } from '../domain/storable.ts'
import { keyProblem, renderKey, shownKeyProblem } from '../domain/template.ts'
import { mintId, mintStep } from '../store/ids.ts'
import { insertRunIfNew, type NewRun, readRunOfOccurrence, readRunOfRequest } from '../store/runs.ts'
import { readStartable, type Startable } from '../store/versions.ts'
import { currentBudget } from './budget.ts'
import type { ControlContext } from './context.ts'
import { conflict, invalid, notFound, type Refusal, type Result } from './result.ts'

export type StartRunInput = {
  definitionId: string
  scope?: string | null
  /** Omitted: now. */
  scheduledFor?: Date | null
  params?: Record<string, unknown> | null
  rehearsal?: boolean | null
  /** The same again answers the first run, so that a script may ask again after a lost answer. */
  requestId?: string | null
}

/** What is wrong with a start that lies further back than the grace window; null when nothing is. */
export function startTooFarBack(scheduledFor: number, graceSeconds: number, now: number): Issue | null {
  if (graceUntil(scheduledFor, graceSeconds) >= now) return null
  const message = `${new Date(scheduledFor).toISOString()} is further back than the grace window of ${graceSeconds} s; give a later instant; to start now, start a run without one.`
  return { path: 'scheduledFor', message }
}

/**
 * Creates an occurrence: now, or at an instant to come. One that exists already is answered as it is
 * (`created: false`), as is the run that the same `requestId` made.
 */
export async function startRun(
  ctx: ControlContext,
  actor: Actor,
  input: StartRunInput,
): Promise<Result<{ created: boolean; runId: string }>> {
  for (;;) {
    const now = ctx.clock.now()
    const startable = await readStartable(ctx.db.prisma, input.definitionId)
    if (startable === null) {
      return notFound(
        `There is no definition ${formatId('Definition', input.definitionId)}; list the definitions to find the one you mean.`,
      )
    }
    // A repeat is answered before anything is judged: what has changed since, the grace window too, is no reason to refuse it.
    const repeated = (await repeatOf(ctx, input)) ?? (await occurrenceOf(ctx, input))
    if (repeated !== null) return repeated
    const refusal = notStartable(startable)
    if (refusal !== null) return refusal
    const spec = startable.version === null ? null : parseVersionSpec(startable.version.spec)
    const budget = await currentBudget(ctx, spec?.phases ?? [])
    const run = plan(startable, actor, input, { now, spec, budget })
    if ('error' in run) return run
    if (await insertRunIfNew(ctx.db.prisma, run, now)) {
      ctx.changes.publish({ runId: run.id, line: run.lines.length, cues: false })
      ctx.changes.wake()
      return { created: true, runId: run.id }
    }
    const existing = await readRunOfOccurrence(ctx.db.prisma, run)
    // Neither made nor there: it was the request that was there, or the definition changed; all has to be looked at again.
    if (existing !== null) return { created: false, runId: existing }
  }
}

/** What the run that was made for the same requestId answers; null where there is none. */
async function repeatOf(
  ctx: ControlContext,
  input: StartRunInput,
): Promise<Result<{ created: boolean; runId: string }> | null> {
  const { definitionId, requestId } = input
  if (requestId == null || !isStorable(requestId)) return null
  const first = await readRunOfRequest(ctx.db.prisma, { definitionId, requestId })
  if (first === null) return null
  if (sameJson(first.request, requestOf(input))) return { created: false, runId: first.id }
  return conflict(`The requestId "${requestId}" was used for another start; use a new one for this.`, {
    runId: first.id,
  })
}

/** What the run that is the occurrence asked for answers; null where there is none. */
async function occurrenceOf(
  ctx: ControlContext,
  input: StartRunInput,
): Promise<{ created: boolean; runId: string } | null> {
  const { definitionId, scheduledFor, scope, rehearsal } = input
  if (scheduledFor == null || shownKeyProblem(scope ?? '') !== null) return null
  const occurrenceAt = scheduledFor.getTime()
  const occurrence = {
    definitionId,
    scope: scope ?? '',
    rehearsal: rehearsal ?? false,
    occurrenceAt,
    occurrenceKey: scheduledFor.toISOString(),
  }
  const runId = await readRunOfOccurrence(ctx.db.prisma, occurrence)
  return runId === null ? null : { created: false, runId }
}

function notStartable(definition: Startable): Refusal | null {
  const about = { definitionId: definition.id }
  if (definition.state === 'ARCHIVED')
    return conflict('The definition is archived; create another to run this event.', about)
  if (definition.version === null) return conflict('The definition has no published version; publish it first.', about)
  return null
}

function plan(
  definition: Startable,
  actor: Actor,
  input: StartRunInput,
  { now, spec, budget }: { now: number; spec: VersionSpec | null; budget: readonly BudgetCap[] },
): NewRun | Refusal {
  const { version } = definition
  if (version === null)
    return conflict('The definition has no published version; publish it first.', { definitionId: definition.id })
  const scope = input.scope ?? ''
  const rehearsal = input.rehearsal ?? false
  const requestId = input.requestId == null ? null : input.requestId
  const scheduledFor = input.scheduledFor?.getTime() ?? now
  const resolved = resolveParams(parseParameters(version.parameters), input.params ?? {})
  const issues = resolved.ok ? [] : [...resolved.issues]
  const scopeProblem = shownKeyProblem(scope)
  if (scopeProblem !== null) issues.push({ path: 'scope', message: `The scope ${scopeProblem}` })
  const requestProblem =
    requestId === null ? null : requestId === '' ? 'must not be empty; leave it out.' : keyProblem(requestId)
  if (requestProblem !== null) issues.push({ path: 'requestId', message: `The requestId ${requestProblem}` })
  const tooFarBack = startTooFarBack(scheduledFor, version.graceSeconds, now)
  if (tooFarBack !== null) issues.push(tooFarBack)
  const params = resolved.ok ? resolved.params : {}
  const concurrencyKey = version.concurrencyKey === null ? null : renderKey(version.concurrencyKey, params)
  const keyIssue = concurrencyKey === null || !resolved.ok ? null : shownKeyProblem(concurrencyKey)
  if (keyIssue !== null) issues.push({ path: 'params', message: `The concurrency key that they make ${keyIssue}` })
  if (issues.length > 0) return invalid(issues)
  const phase = spec?.phases[0]
  if (phase === undefined) {
    return conflict('The current version has no phases that can be read; publish the definition again.', {
      definitionId: definition.id,
    })
  }
  const id = mintId()
  const steps = firstSteps(phase, params, () => mintStep(id))
  const created = { source: 'MANUAL' as const, version: version.number, scope, rehearsal, params, scheduledFor }
  return {
    id,
    definitionId: definition.id,
    versionId: version.id,
    scope,
    source: 'MANUAL',
    rehearsal,
    params,
    timeZone: version.timeZone,
    concurrencyKey,
    occurrenceKey: new Date(scheduledFor).toISOString(),
    occurrenceAt: scheduledFor,
    scheduledFor,
    graceUntil: graceUntil(scheduledFor, version.graceSeconds),
    startedBy: actor,
    requestId,
    request: requestId === null ? null : requestOf(input),
    budget,
    steps,
    lines: [
      log.runCreated({ at: now, actor }, created),
      ...(budget.length === 0 ? [] : [log.runBudget({ at: now }, budget)]),
    ],
  }
}

/** What was asked for, to tell a repeat from a contradiction. */
function requestOf(input: StartRunInput): Record<string, unknown> {
  return {
    scope: input.scope ?? '',
    scheduledFor: input.scheduledFor?.toISOString() ?? null,
    params: input.params ?? {},
    rehearsal: input.rehearsal ?? false,
  }
}

/** Equal as JSON, whatever the order of keys: jsonb does not keep it. */
function sameJson(a: unknown, b: unknown): boolean {
  const sorted = (_key: string, value: unknown) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([x], [y]) => (x < y ? -1 : 1)))
      : value
  return JSON.stringify(a, sorted) === JSON.stringify(b, sorted)
}
