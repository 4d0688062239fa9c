import { type Censor, censoredJson } from '../domain/censor.ts'
import type { Issue } from '../domain/issue.ts'
import type { Outcome } from '../domain/outcome.ts'
import type { RegisteredAction, RegisteredTrigger } from './registered.ts'

// Modules know what the server's settings hold, and whatever they say ends up where people read: in drafts, reports, logs.

/** The action, with everything that it says of itself and of params struck free of secrets. */
export function discreetAction(action: RegisteredAction, censor: Censor): RegisteredAction {
  return {
    ...action,
    ...discreetLabels(action, censor),
    paramsSchema: censoredJson(action.paramsSchema, censor),
    checkDraft: (params) => discreetIssues(action.checkDraft(params), censor),
    checkFilled(params) {
      const checked = action.checkFilled(params)
      return checked.ok ? checked : { ...checked, issues: discreetIssues(checked.issues, censor) }
    },
    cost(params) {
      const cost = action.cost(params)
      return cost.ok ? cost : { ...cost, error: censor(cost.error) }
    },
  }
}

/** The same of a trigger and of payloads. */
export function discreetTrigger(trigger: RegisteredTrigger, censor: Censor): RegisteredTrigger {
  return {
    ...trigger,
    ...discreetLabels(trigger, censor),
    payloadSchema: censoredJson(trigger.payloadSchema, censor),
    checkPayload: (payload) => discreetIssues(trigger.checkPayload(payload), censor),
  }
}

/** What came of a call. Resources stay as they are, since a revert needs them so; they are censored where they are shown. */
export function discreetOutcome(outcome: Outcome, censor: Censor): Outcome {
  if (outcome.kind === 'failed' || outcome.kind === 'refused') return { ...outcome, error: censor(outcome.error) }
  return {
    ...outcome,
    ...(outcome.output === undefined ? {} : { output: censoredJson(outcome.output, censor) }),
    ...('instruction' in outcome && outcome.instruction !== undefined
      ? { instruction: censor(outcome.instruction) }
      : {}),
    participants: outcome.participants.map((one) => ({ ...one, meta: censoredJson(one.meta, censor) })),
  }
}

const discreetLabels = ({ label, description }: { label: string; description: string | null }, censor: Censor) => ({
  label: censor(label),
  description: description === null ? null : censor(description),
})

const discreetIssues = (issues: readonly Issue[], censor: Censor): Issue[] =>
  issues.map(({ path, message }) => ({ path: censor(path), message: censor(message) }))
