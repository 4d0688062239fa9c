import type { Actor } from '../domain/actor.ts'
import { formatId } from '../domain/ids.ts'
import type { Issue } from '../domain/issue.ts'
import * as log from '../domain/log.ts'
import type { ParameterInput } from '../domain/parameters.ts'
import { normaliseParameter } from '../domain/parameters.ts'
import { slugProblem } from '../domain/slug.ts'
import {
  draftEquals,
  type EventSpecInput,
  normaliseSpec,
  type Publishable,
  parseDraftSpec,
  parseParameters,
  parseVersionSpec,
  pinSpec,
} from '../domain/spec.ts'
import { MAX_JSON_DEPTH, nestsDeeperThan, storableData, storableText } from '../domain/storable.ts'
import { validateDraft } from '../domain/validate-draft.ts'
import { parseReport, type VerificationReport } from '../domain/verification.ts'
import type { AuditEntry } from '../store/audit.ts'
import {
  archiveIfIdle,
  type DefinitionContent,
  insertDefinitionIfSlugFree,
  publishIfUnchanged,
  readDefinition,
  readSlugHolder,
  type StoredDefinition,
  type StoredVersion,
  updateDefinitionIfItDiffers,
} from '../store/definitions.ts'
import { mintId } from '../store/ids.ts'
import type { ControlContext } from './context.ts'
import { reasonDetail } from './reason.ts'
import { conflict, invalid, MAX_TRIES, notFound, overtaken, type Refusal, type Result } from './result.ts'
import { NOTHING_UPCOMING, planUpcoming, type UpcomingCounts } from './upcoming.ts'
import { verifyContent } from './verification.ts'

type Settings = {
  description?: string | null
  timeZone?: string | null
  graceSeconds?: number | null
  concurrencyKey?: string | null
  parameters?: readonly ParameterInput[] | null
}
export type CreateDefinitionInput = Settings & { slug: string; title: string; spec: EventSpecInput }
/** What is omitted keeps its value; null clears it, or sets it to its default. */
export type UpdateDefinitionInput = Settings & {
  id: string
  /** Refused as a conflict if somebody changed the definition since. */
  ifUpdatedAt?: Date | null
  title?: string | null
  spec?: EventSpecInput | null
}
export type PublishDefinitionInput = { id: string; ifUpdatedAt?: Date | null }
/** `reason`: why, for the audit log. */
export type DefinitionControlInput = { id: string; reason?: string | null | undefined }

type DefinitionResult = Result<{ definitionId: string }>
type Published = {
  definitionId: string
  versionId: string
  created: boolean
  verification: VerificationReport
  upcoming: UpcomingCounts
}

const EMPTY_SPEC: EventSpecInput = { schedule: { manual: true }, phases: [] }
const DEFAULTS: DefinitionContent = {
  title: '',
  description: null,
  timeZone: 'UTC',
  graceSeconds: 900,
  concurrencyKey: null,
  parameters: [],
  draft: normaliseSpec(EMPTY_SPEC),
}
/** From here on the issues of a draft are not all listed. */
const MANY = 1_000
/** A spec's own levels above a step's params or a gate's condition. */
const SPEC_LEVELS = 6

/** Creates a definition with its draft, which may be unfinished; only the slug has to be in order. */
export async function createDefinition(
  ctx: ControlContext,
  actor: Actor,
  input: CreateDefinitionInput,
): Promise<DefinitionResult> {
  const { slug, ...given } = input
  const content = readContent(given)
  const issues = content.ok ? [] : content.issues
  const ofSlug = slugProblem(slug)
  if (ofSlug !== null) return invalid([{ path: 'slug', message: ofSlug }, ...issues])
  if (!content.ok) return invalid(issues)
  const id = mintId()
  const whole = { ...DEFAULTS, ...content.content }
  const audit = auditOf(ctx, actor, { action: 'definition.create', id, detail: { slug, title: whole.title } })
  if (await insertDefinitionIfSlugFree(ctx.db.prisma, { id, slug, content: whole, audit })) return { definitionId: id }
  const holder = await readSlugHolder(ctx.db.prisma, slug)
  const message = `The slug "${slug}" is taken by another definition; choose another, or update that one.`
  return conflict(message, holder === null ? {} : { definitionId: holder })
}

/**
 * Changes a definition and its draft, which may be unfinished; versions and runs stay as they are. What it says already
 * is no change: nothing is written then, and nothing is in the audit log, which names the fields that changed.
 */
export async function updateDefinition(
  ctx: ControlContext,
  actor: Actor,
  input: UpdateDefinitionInput,
): Promise<DefinitionResult> {
  const { id, ifUpdatedAt, ...changes } = input
  const content = readContent(changes)
  if (!content.ok) return invalid(content.issues)
  const audit = auditOf(ctx, actor, { action: 'definition.update', id, detail: {} })
  const change = { id, content: content.content, ifUpdatedAt: ifUpdatedAt ?? null, audit }
  if (await updateDefinitionIfItDiffers(ctx.db.prisma, change)) return { definitionId: id }
  const read = await readDefinition(ctx.db.prisma, id)
  if (read === null) return noDefinition(id)
  if (read.state === 'ARCHIVED') return isArchived(id)
  const isKnown = ifUpdatedAt == null || ifUpdatedAt.getTime() === read.updatedAt.getTime()
  return isKnown ? { definitionId: id } : changedSince(id)
}

/**
 * Makes the draft the current version, which runs started from now on take. A draft with issues is refused with all of
 * them; one that is equal to the current version changes nothing (`created: false`). It is verified first, which may take
 * 30 s, and published also where that finds errors; its schedule is held then. `verification` is the version's report.
 */
export async function publishDefinition(
  ctx: ControlContext,
  actor: Actor,
  input: PublishDefinitionInput,
): Promise<Result<Published>> {
  let verified: { id: string; content: Publishable; report: VerificationReport } | null = null
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const read = await readDefinition(ctx.db.patient, input.id)
    if (read === null) return noDefinition(input.id)
    if (read.state === 'ARCHIVED') return isArchived(read.id)
    if (input.ifUpdatedAt != null && input.ifUpdatedAt.getTime() !== read.updatedAt.getTime())
      return changedSince(read.id)
    const made = publishable(read, ctx)
    if ('error' in made) return made
    const { content } = made
    const { currentVersion } = read
    if (currentVersion !== null && holds(currentVersion, content)) {
      const { id } = currentVersion
      // A version from before there were reports has none: it is looked at now, and nothing is kept.
      const verification =
        parseReport(currentVersion.verification) ??
        (await verifyContent(ctx, actor, { ...content, id: formatId('Version', id) }))
      return { definitionId: read.id, versionId: id, created: false, verification, upcoming: NOTHING_UPCOMING }
    }
    if (verified === null || !draftEquals(verified.content, content)) {
      const id = mintId()
      const report = await verifyContent(ctx, actor, { ...content, id: formatId('Version', id) })
      verified = { id, content, report }
    }
    const { id, report } = verified
    const version = (currentVersion?.version ?? 0) + 1
    const { plan, counts, materialisedUntil, wakes } = await planUpcoming(ctx, actor, {
      definition: read,
      version: { ...content, id, version },
      verified: report.passed,
      now: ctx.clock.now(),
    })
    const audit = auditOf(ctx, actor, {
      action: 'definition.publish',
      id: read.id,
      detail: { version, passed: report.passed },
    })
    // Somebody who published or changed the draft in between makes this look again.
    const publication = { read, id, version, content, report, upcoming: plan, materialisedUntil, actor, audit }
    const grown = await publishIfUnchanged(ctx.db.patient, publication)
    if (grown === null) continue
    for (const run of grown) ctx.changes.publish({ ...run, cues: false })
    if (wakes) ctx.changes.schedulesChanged()
    return { definitionId: read.id, versionId: id, created: true, verification: report, upcoming: counts }
  }
  return overtaken({ definitionId: input.id })
}

/**
 * Puts a definition away for good: it is not changed, published or started any more. Its upcoming schedule-made runs are
 * cancelled; refused while other runs of it go on or wait to be cleaned up. Archiving twice is no error.
 */
export async function archiveDefinition(
  ctx: ControlContext,
  actor: Actor,
  { id, reason }: DefinitionControlInput,
): Promise<DefinitionResult> {
  const audit = auditOf(ctx, actor, { action: 'definition.archive', id, detail: reasonDetail(reason) })
  const because = 'archived'
  const line = log.runStatus({ at: audit.at, actor }, { from: 'SCHEDULED', to: 'CANCELLED', because })
  const { archived, runsGoingOn, cancelled } = await archiveIfIdle(ctx.db.patient, { id, because, line, audit })
  for (const run of cancelled) ctx.changes.publish({ ...run, cues: false })
  if (archived) return { definitionId: id }
  const read = await readDefinition(ctx.db.prisma, id)
  if (read === null) return noDefinition(id)
  if (read.state === 'ARCHIVED') return { definitionId: id }
  const runs = runsGoingOn === 1 ? '1 run of it has' : `${runsGoingOn} runs of it have`
  return conflict(
    `${runs} not ended or been cleaned up; let them end, or cancel them; where a cleanup is INCOMPLETE, retry it or abandon what is left. Archive it then.`,
    {
      definitionId: id,
    },
  )
}

type ReadContent = { ok: true; content: Partial<DefinitionContent> } | { ok: false; issues: Issue[] }

/**
 * What is given, as it is stored: null is cleared or set to its default, characters that the database cannot keep are
 * replaced by one that shows. Whether it can be published is not asked here.
 */
function readContent(given: Omit<UpdateDefinitionInput, 'id' | 'ifUpdatedAt'>): ReadContent {
  const { title, description, timeZone, graceSeconds, concurrencyKey, parameters, spec } = given
  const issues: Issue[] = []
  const content: Partial<DefinitionContent> = {}
  if (title !== undefined) content.title = storableText(title ?? '').trim()
  if (description !== undefined) content.description = textOrNull(description)
  if (timeZone !== undefined) content.timeZone = storableText(timeZone ?? DEFAULTS.timeZone)
  if (graceSeconds !== undefined) content.graceSeconds = graceSeconds ?? DEFAULTS.graceSeconds
  if (concurrencyKey !== undefined) content.concurrencyKey = textOrNull(concurrencyKey, storableData)
  if (parameters !== undefined) content.parameters = (parameters ?? []).map(normaliseParameter)
  if (spec !== undefined) {
    if (nestsDeeperThan(spec, MAX_JSON_DEPTH + SPEC_LEVELS)) {
      issues.push({ path: 'spec', message: `Params may nest at most ${MAX_JSON_DEPTH} deep; make them flatter.` })
    } else {
      content.draft = normaliseSpec(spec ?? EMPTY_SPEC)
    }
  }
  return issues.length === 0 ? { ok: true, content } : { ok: false, issues }
}

/** As it is kept; a text of nothing but space is none. */
function textOrNull(text: string | null, kept = storableText): string | null {
  const stored = kept(text ?? '')
  return stored.trim() === '' ? null : stored
}

/** The version that the draft makes, or why it makes none. */
export function publishable(definition: StoredDefinition, ctx: ControlContext): { content: Publishable } | Refusal {
  const { draft, timeZone, graceSeconds, concurrencyKey, parameters } = definition
  const { issues } = validateDraft({ ...definition, spec: draft }, ctx)
  if (issues.length > 0) {
    const [first] = issues
    const count =
      issues.length === 1 ? 'a problem' : issues.length < MANY ? `${issues.length} problems` : 'many problems'
    return invalid(
      issues,
      `The draft has ${count} to be solved before it can be published. ${first?.path}: ${first?.message}`,
    )
  }
  const spec = parseDraftSpec(draft)
  if (spec === null) throw new Error(`The draft of definition ${definition.id} has no issues and cannot be read`)
  const settings = { timeZone, graceSeconds, concurrencyKey, parameters: parseParameters(parameters) }
  return { content: { spec: pinSpec(spec, ctx.catalog), ...settings } }
}

/** Whether a version says what publishing this content would make of it. */
export function holds(version: StoredVersion, content: Publishable): boolean {
  const { timeZone, graceSeconds, concurrencyKey, parameters } = version
  const spec = parseVersionSpec(version.spec)
  return (
    spec !== null &&
    draftEquals({ spec, timeZone, graceSeconds, concurrencyKey, parameters: parseParameters(parameters) }, content)
  )
}

/** An audit entry of now about a definition. */
export function auditOf(
  ctx: ControlContext,
  actor: Actor,
  { action, id, detail }: { action: string; id: string; detail: Record<string, unknown> },
): AuditEntry {
  return { at: ctx.clock.now(), actor, action, subject: formatId('Definition', id), detail }
}

export const noDefinition = (id: string) =>
  notFound(`There is no definition ${formatId('Definition', id)}; list the definitions to find the one you mean.`)
export const isArchived = (definitionId: string) =>
  conflict('The definition is archived and stays as it is; create another one instead.', { definitionId })
const changedSince = (definitionId: string) =>
  conflict('Somebody changed the definition since you read it; look at it as it is now and try again.', {
    definitionId,
  })
