import type { Actor } from '../domain/actor.ts'
import type { Issue } from '../domain/issue.ts'
import type { RegisteredAction } from '../modules/registered.ts'
import { setActionSetting as store } from '../store/action-settings.ts'
import type { ControlContext } from './context.ts'
import { reasonDetail } from './reason.ts'
import { invalid, notFound, type Result } from './result.ts'

export type ActionSettingInput = {
  actionId: string
  /** Omitted: as it is. */
  enabled?: boolean | null
  /** The dimensions given are set, others stay as they are; a null cap: counted, not bounded. */
  caps?: readonly { dimension: string; cap?: number | null }[] | null
  /** Why, for the audit log. */
  reason?: string | null
}

/**
 * Switches an action on or off, and sets the most that a run may cause of what it counts. Off holds from the next
 * dispatch on, caps for runs that start from now on: a run in flight keeps those that it started with.
 */
export async function setActionSetting(
  ctx: ControlContext,
  actor: Actor,
  { actionId, enabled, caps, reason }: ActionSettingInput,
): Promise<Result<{ action: RegisteredAction }>> {
  const action = ctx.catalog.action(actionId)
  if (action === undefined) return notFound(ctx.catalog.whyMissing(actionId))
  const wanted = (caps ?? []).map(({ dimension, cap }) => ({ dimension, cap: cap ?? null }))
  const issues = capIssues(action, wanted)
  if (issues.length > 0) return invalid(issues)
  if (enabled == null && wanted.length === 0) return { action }
  const detail = {
    ...(enabled == null ? {} : { enabled }),
    ...(wanted.length === 0 ? {} : { caps: wanted }),
    ...reasonDetail(reason),
  }
  await store(ctx.db.prisma, {
    actionId,
    enabled: enabled ?? null,
    caps: wanted,
    audit: { at: ctx.clock.now(), actor, action: 'action.setting', subject: actionId, detail },
  })
  return { action }
}

function capIssues(
  { id, dimensions }: RegisteredAction,
  caps: readonly { dimension: string; cap: number | null }[],
): Issue[] {
  return caps.flatMap(({ dimension, cap }, index) => {
    const issues: Issue[] = []
    if (!dimensions.includes(dimension)) {
      const known =
        dimensions.length === 0
          ? 'It counts nothing, so that it takes no caps.'
          : `Give one of: ${dimensions.join(', ')}.`
      issues.push({ path: `caps[${index}].dimension`, message: `${id} has no dimension "${dimension}". ${known}` })
    } else if (caps.findIndex((other) => other.dimension === dimension) < index) {
      issues.push({ path: `caps[${index}].dimension`, message: `"${dimension}" is given twice; give it once.` })
    }
    if (cap !== null && !(Number.isFinite(cap) && cap >= 0)) {
      const message = `The cap must be a number of 0 or more, and is ${cap}; null counts without a bound.`
      issues.push({ path: `caps[${index}].cap`, message })
    }
    return issues
  })
}
