import type { Actor } from '../domain/actor.ts'
import { actionsOf } from '../domain/budget.ts'
import type { Issue } from '../domain/issue.ts'
import {
  gateIssues,
  reportOf,
  scheduleIssues,
  type Verifiable,
  type VerificationReport,
  type VersionIssue,
} from '../domain/verification.ts'
import { checkSteps, remarkOn } from '../domain/verify-steps.ts'
import type { RegisteredAction } from '../modules/registered.ts'
import { makeVerifyCalls } from '../modules/verify-calls.ts'
import { verifyKeyOf } from '../store/ids.ts'
import { actionSettings } from '../store/setting-reads.ts'
import type { ControlContext } from './context.ts'

type Content = Verifiable & {
  /** The version's id, or the definition's where this is a draft, as the API shows it: what the calls' keys are made of. */
  id: string
  /** What is known to be wrong already; the report holds all of it. */
  issues?: readonly Issue[]
}

const ENVELOPE_KINDS = { USER: 'user', TOKEN: 'token', SYSTEM: 'system' } as const

/**
 * Checks everything that can be checked of a version or draft without running it, and asks the actions that support it
 * whether they would work. Takes at most 30 s of the clock, and stores nothing.
 */
export async function verifyContent(ctx: ControlContext, actor: Actor, content: Content): Promise<VerificationReport> {
  const { spec, id } = content
  const { catalog, censor, clock, zones } = ctx
  const world = {
    action: (actionId: string) => catalog.action(actionId),
    whyMissing: (missing: string) => catalog.whyMissing(missing),
    settings: await actionSettings(ctx.db.hot, actionsOf(spec.phases)),
  }
  const steps = checkSteps<RegisteredAction>(content, world)
  const asked = steps.flatMap((step) => (step.call === null ? [] : [{ ...step, call: step.call }]))
  const outcomes = await makeVerifyCalls(
    asked.map(({ place, call: { action, params } }) => ({
      action,
      envelope: {
        runId: null,
        stepId: null,
        scope: '',
        params,
        actor: { kind: ENVELOPE_KINDS[actor.kind], name: actor.name },
        idempotencyKey: verifyKeyOf(id, place),
        verify: true,
      },
    })),
    { clock, censor },
  )
  for (const [index, { place, remarks }] of asked.entries())
    remarks.push(remarkOn(place.actionId, outcomes[index] ?? null))

  const known = (content.issues ?? []).map((issue): VersionIssue => ({ ...issue, finding: 'ERROR' }))
  const found = [...gateIssues(content, catalog), ...scheduleIssues(content, { now: clock.now(), zones })]
  const paths = new Set(known.map(({ path }) => path))
  return reportOf(steps, [...known, ...found.filter(({ path }) => !paths.has(path))])
}
