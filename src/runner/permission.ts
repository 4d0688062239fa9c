import type { Outcome } from '../domain/outcome.ts'
import type { Step } from '../domain/picture.ts'
import type { RegisteredAction } from '../modules/registered.ts'
import type { Registry } from '../modules/registry.ts'

/** Whether a claimed step may be dispatched: its action and the params to call it with, or what to settle it with instead. */
export type Permission =
  | { granted: true; action: RegisteredAction; params: Record<string, unknown> }
  | { granted: false; outcome: Outcome }

/** Asked right after the claim and right before the call. */
export function permit(registry: Registry, step: Step): Permission {
  const action = registry.action(step.actionId)
  if (action === undefined) return refuse(registry.whyMissing(step.actionId))
  const checked = action.checkFilled(step.params)
  if (!checked.ok) {
    const problems = checked.issues.map(
      (issue) => `params${issue.path === '' ? '' : `.${issue.path}`}: ${issue.message}`,
    )
    return refuse(`Its params do not fit: ${problems.join(' ')}`)
  }
  return { granted: true, action, params: checked.params }
}

const refuse = (error: string): Permission => ({ granted: false, outcome: { kind: 'failed', transient: false, error } })
