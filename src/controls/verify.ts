import type { Actor } from '../domain/actor.ts'
import { formatId } from '../domain/ids.ts'
import { parseDraftSpec, parseParameters, parseVersionSpec } from '../domain/spec.ts'
import { validateDraft } from '../domain/validate-draft.ts'
import type { VerificationReport } from '../domain/verification.ts'
import { readDefinition, type StoredDefinition } from '../store/definitions.ts'
import { mintId } from '../store/ids.ts'
import { stampVerificationIfCurrent } from '../store/versions.ts'
import type { ControlContext } from './context.ts'
import { auditOf, holds, isArchived, noDefinition, publishable } from './definitions.ts'
import { conflict, MAX_TRIES, overtaken, type Result } from './result.ts'
import { NOTHING_UPCOMING, planUpcoming, type UpcomingCounts } from './upcoming.ts'
import { verifyContent } from './verification.ts'

export type VerifyDefinitionInput = {
  id: string
  /** The draft instead of the current version. */
  draft?: boolean | null
}

/**
 * Verifies the current version, and keeps the report with it: one that passed makes the version verified, for good. Of a
 * draft the report is answered and nothing kept (`versionId` null); it holds every issue of the draft, and does not pass
 * while there are any; `upcoming` is what publishing it would do. May take 30 s.
 */
export async function verifyDefinition(
  ctx: ControlContext,
  actor: Actor,
  { id, draft }: VerifyDefinitionInput,
): Promise<Result<{ versionId: string | null; verification: VerificationReport; upcoming: UpcomingCounts }>> {
  let verified: { versionId: string; report: VerificationReport } | null = null
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const read = await readDefinition(ctx.db.prisma, id)
    if (read === null) return noDefinition(id)
    if (read.state === 'ARCHIVED') return isArchived(id)
    if (draft === true) {
      const verification = await verifyDraft(ctx, actor, read)
      return {
        versionId: null,
        verification,
        upcoming: await upcomingOfDraft(ctx, actor, { definition: read, passed: verification.passed }),
      }
    }
    const { currentVersion } = read
    if (currentVersion === null) {
      const message = 'The definition has no version yet; publish it, which verifies it too, or verify its draft.'
      return conflict(message, { definitionId: id })
    }
    const { id: versionId, version, timeZone } = currentVersion
    const spec = parseVersionSpec(currentVersion.spec)
    if (spec === null) throw new Error(`The spec of version ${versionId} cannot be read`)
    const parameters = parseParameters(currentVersion.parameters)
    if (verified === null || verified.versionId !== versionId) {
      const report: VerificationReport = await verifyContent(ctx, actor, {
        id: formatId('Version', versionId),
        spec,
        timeZone,
        parameters,
      })
      verified = { versionId, report }
    }
    const verification = verified.report
    const detail = { version, passed: verification.passed }
    const audit = auditOf(ctx, actor, { action: 'definition.verify', id, detail })
    // Somebody who published or archived meanwhile makes this look again: it is the current version that was asked about.
    const isNew = verification.passed && currentVersion.verifiedAt === null
    const { plan, counts, materialisedUntil, wakes } = await planUpcoming(ctx, actor, {
      definition: read,
      version: { ...currentVersion, spec },
      verified: isNew,
      now: audit.at,
    })
    const stamp = { versionId, report: verification, upcoming: plan, materialisedUntil, audit }
    const grown = await stampVerificationIfCurrent(ctx.db.patient, stamp)
    if (grown === null) continue
    for (const run of grown) ctx.changes.publish({ ...run, cues: false })
    if (isNew && wakes) ctx.changes.schedulesChanged()
    return { versionId, verification, upcoming: counts }
  }
  return overtaken({ definitionId: id })
}

function verifyDraft(ctx: ControlContext, actor: Actor, definition: StoredDefinition): Promise<VerificationReport> {
  const { id, draft, timeZone, parameters } = definition
  const { issues } = validateDraft({ ...definition, spec: draft }, ctx)
  return verifyContent(ctx, actor, {
    id: formatId('Definition', id),
    // One that cannot be read has no steps to look at, and issues that say why.
    spec: parseDraftSpec(draft) ?? { schedule: { manual: true }, phases: [] },
    timeZone,
    parameters: parseParameters(parameters),
    issues,
  })
}

/** What publishing the draft now would do to the runs to come; nothing where it would change nothing, or not pass. */
async function upcomingOfDraft(
  ctx: ControlContext,
  actor: Actor,
  { definition, passed }: { definition: StoredDefinition; passed: boolean },
): Promise<UpcomingCounts> {
  const made = publishable(definition, ctx)
  if ('error' in made || !passed) return NOTHING_UPCOMING
  const { currentVersion } = definition
  if (currentVersion !== null && holds(currentVersion, made.content)) return NOTHING_UPCOMING
  const { counts } = await planUpcoming(ctx, actor, {
    definition,
    version: { ...made.content, id: mintId(), version: (currentVersion?.version ?? 0) + 1 },
    verified: true,
    now: ctx.clock.now(),
  })
  return counts
}
