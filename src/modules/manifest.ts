import { valueAt } from '../domain/dotted-path.ts'
import { isObject } from '../domain/plain-object.ts'
import type { ActionContext, Envelope, RevertRequest } from './module.ts'
import { kindOf, shown } from './schema/schema.ts'

/** What an action of a manifest is done by; `budgetMs` is the action's. */
export type WorldCalls = {
  perform(actionId: string, envelope: Envelope, options: CallOptions): Promise<unknown>
  revert(actionId: string, request: RevertRequest, options: CallOptions): Promise<unknown>
}
export type CallOptions = { signal: AbortSignal; budgetMs: number }

type Code = {
  perform(envelope: Envelope, context: ActionContext): Promise<unknown>
  revert?(request: RevertRequest, context: ActionContext): Promise<unknown>
  cost?(params: Record<string, unknown>): Record<string, unknown>
}

/**
 * The module that a manifest describes, with `calls` for its code, to be admitted as any module; and what is wrong with
 * that which a manifest alone has, a sentence each: costs as data. Whatever else is wrong with it is left in the module.
 */
export function moduleOf(
  manifest: Record<string, unknown>,
  calls: WorldCalls,
): { module: Record<string, unknown>; problems: string[] } {
  const problems: string[] = []
  const { actions } = manifest
  if (!Array.isArray(actions)) return { module: manifest, problems }
  const coded = actions.map((action: unknown, index) => {
    if (!isObject(action)) return action
    const name = typeof action.id === 'string' ? `Action ${action.id}` : `actions[${index}]`
    problems.push(...costProblems(action).map((problem) => `${name}: ${problem}`))
    return { ...action, cost: undefined, ...codeOf(action, calls) }
  })
  return { module: { ...manifest, actions: coded }, problems }
}

function codeOf(action: Record<string, unknown>, calls: WorldCalls): Code {
  const { id, cost, reversible } = action
  const actionId = String(id)
  const budgetMs = Number(action.budgetMs)
  return {
    perform: (envelope, { signal }) => calls.perform(actionId, envelope, { signal, budgetMs }),
    ...(reversible === 'revert'
      ? { revert: (request, { signal }) => calls.revert(actionId, request, { signal, budgetMs }) }
      : {}),
    ...(isObject(cost) ? { cost: (params) => costIn(cost, params) } : {}),
  }
}

function costProblems({ cost, dimensions }: Record<string, unknown>): string[] {
  if (cost === undefined || cost === null) return []
  if (!isObject(cost))
    return [`cost must be an object like {"creatures": "count"}, and is ${kindOf(cost)}; correct it.`]
  return Object.entries(cost).flatMap(([dimension, amount]) => {
    const found: string[] = []
    if (!Array.isArray(dimensions) || !dimensions.includes(dimension)) {
      found.push(`cost names ${shown(dimension)}, which its dimensions do not declare; list it there, or remove it.`)
    }
    if (!isAmount(amount)) {
      const form = 'a number of 0 or more, or a dotted path into params like "count" or "horde.size"'
      found.push(`cost.${dimension} must be ${form}, and is ${shown(amount)}; correct it.`)
    }
    return found
  })
}

const isAmount = (given: unknown): boolean =>
  typeof given === 'number'
    ? given >= 0 && Number.isFinite(given)
    : typeof given === 'string' && !given.split('.').includes('')

/** Throws where a path leads to no number: nobody can say what the step costs then. */
function costIn(cost: Record<string, unknown>, params: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(cost).map(([dimension, amount]) => {
      if (typeof amount !== 'string') return [dimension, amount]
      const value = valueAt(params, amount)
      if (typeof value === 'number') return [dimension, value]
      const found = value === undefined ? 'is missing' : `is ${kindOf(value)}`
      throw new Error(`"${dimension}" is read from params.${amount}, which ${found}, and must be a number`)
    }),
  )
}
