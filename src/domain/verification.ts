import { z } from 'zod'
import type { Issue } from './issue.ts'
import { isLocalDateTime } from './local-time.ts'
import type { Parameter } from './parameters.ts'
import { readWall } from './recurrence/civil.ts'
import { instantOfWall } from './recurrence/local-instant.ts'
import type { ZoneData } from './recurrence/zone-data.ts'
import type { Schedule, VersionPhase } from './spec.ts'
import { storableText } from './storable.ts'

const findings = z.enum(['OK', 'WARNING', 'ERROR'])
export type Finding = z.infer<typeof findings>

const storedReport = z.object({
  passed: z.boolean(),
  steps: z.array(
    z.object({
      path: z.string(),
      phase: z.string(),
      seq: z.number(),
      actionId: z.string(),
      // Reports from before there was one have none.
      label: z.string().nullable().default(null),
      finding: findings,
      message: z.string(),
    }),
  ),
  issues: z.array(z.object({ path: z.string(), message: z.string() })),
})

/**
 * What a verification found, as a version keeps it. `steps` lists every step in order, each with its worst finding and
 * sentences on all of them; `issues` is what belongs to no step. `passed`: there is no ERROR. An issue has no finding of
 * its own; one that is no more than a warning says so in its first words and does not keep the report from passing.
 */
export type VerificationReport = z.infer<typeof storedReport>

/** A report as the database holds it; null where there is none that can be read. */
export function parseReport(json: unknown): VerificationReport | null {
  return storedReport.safeParse(json).data ?? null
}

/** One thing found about a step: sentences that say what to do. */
export type Remark = { finding: Finding; message: string }
/** Where a step stands, for its finding: `path` is `phases[1].steps[0]`, `phase` the key. */
export type StepPlace = { path: string; phase: string; seq: number; actionId: string; label: string | null }
/** One thing found about a version that is no step's. */
export type VersionIssue = Issue & { finding: 'WARNING' | 'ERROR' }

/** Longest message of a step: what modules say may have any length, and a report has up to 10,000 steps. */
const MAX_MESSAGE = 2_000

export function reportOf(
  steps: readonly { place: StepPlace; remarks: readonly Remark[] }[],
  issues: readonly VersionIssue[],
): VerificationReport {
  const found = steps.map(({ place, remarks }) => ({
    ...place,
    finding: worstOf(remarks),
    message: shortened(remarks.map(({ message }) => message).join(' '), MAX_MESSAGE),
  }))
  return {
    passed: [...found, ...issues].every(({ finding }) => finding !== 'ERROR'),
    steps: found,
    issues: issues.map(({ path, message, finding }) => ({
      path,
      message: finding === 'WARNING' ? `Only a warning: ${message}` : message,
    })),
  }
}

function worstOf(remarks: readonly Remark[]): Finding {
  const has = (finding: Finding) => remarks.some((remark) => remark.finding === finding)
  return has('ERROR') ? 'ERROR' : has('WARNING') ? 'WARNING' : 'OK'
}

/** A text fit to be kept, with "…" for what is too long. */
export function shortened(text: string, length: number): string {
  return text.length <= length ? text : `${storableText(text.slice(0, length - 1))}…`
}

/** What a verification looks at: a version, or a draft that can be read, whose steps have no action version yet. */
export type Verifiable = {
  spec: {
    schedule: Schedule
    phases: readonly {
      key: string
      steps: readonly { actionId: string; label?: string; actionVersion?: number; params: Record<string, unknown> }[]
      advance?: VersionPhase['advance']
    }[]
  }
  timeZone: string
  parameters: readonly Parameter[]
}

/** What of the gates would never open: those that wait for a trigger that no module brings. */
export function gateIssues(
  { spec }: Verifiable,
  triggers: { trigger(id: string): object | undefined; whyMissing(id: string): string },
): VersionIssue[] {
  return spec.phases.flatMap(({ advance }, index) => {
    if (advance === undefined || !('trigger' in advance) || triggers.trigger(advance.trigger.on) !== undefined)
      return []
    const message = `The gate would never open. ${triggers.whyMissing(advance.trigger.on)}`
    return [{ path: `phases[${index}].advance.trigger.on`, message, finding: 'ERROR' as const }]
  })
}

/** What is odd about a schedule now: a single start that has passed. `now`: milliseconds since the epoch. */
export function scheduleIssues(
  { spec, timeZone }: Verifiable,
  { now, zones }: { now: number; zones: ZoneData },
): VersionIssue[] {
  if (!('once' in spec.schedule)) return []
  const { at } = spec.schedule.once
  if (!isLocalDateTime(at) || !zones.has(timeZone) || instantOfWall(readWall(at), timeZone, zones).at >= now) return []
  const message = `its one start, ${at} in ${timeZone}, has passed, so that the schedule makes no run; set another, or start runs by hand.`
  return [{ path: 'schedule.once.at', message, finding: 'WARNING' }]
}
