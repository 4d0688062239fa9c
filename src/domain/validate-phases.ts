import type { Catalog } from './catalog.ts'
import { parseCondition } from './condition.ts'
import { parseDuration } from './duration.ts'
import { failureOf } from './failure.ts'
import type { Issue } from './issue.ts'
import { joinPath } from './issue-path.ts'
import { payloadFit } from './payload-fit.ts'
import { isObject } from './plain-object.ts'
import { MAX_JSON_DEPTH, nestsDeeperThan } from './storable.ts'
import { unknownKeys } from './unknown-keys.ts'

export const MAX_PHASES = 50
export const MAX_STEPS = 200
/** How many emissions a gate may wait for. */
export const MAX_COUNT = 1_000_000
/** Of a phase. */
export const PHASE_KEY = /^[a-z][a-z0-9-]{0,63}$/
const ON_FAILURE: unknown[] = ['SKIP', 'PAUSE', 'ABORT_RUN']

/** All that is wrong with the phases of a draft, which may be JSON of any shape. */
export function checkPhases(phases: unknown, catalog: Catalog): Issue[] {
  if (!Array.isArray(phases)) return [{ path: 'phases', message: `Phases must be a list of 1 to ${MAX_PHASES}.` }]
  const issues: Issue[] = []
  if (phases.length === 0) issues.push({ path: 'phases', message: 'An event needs at least one phase; add one.' })
  if (phases.length > MAX_PHASES) {
    const message = `An event may have at most ${MAX_PHASES} phases, and this has ${phases.length}; join or remove some.`
    issues.push({ path: 'phases', message })
  }
  const firstOf = new Map<string, number>()
  for (const [index, phase] of phases.entries()) {
    const path = `phases[${index}]`
    if (!isObject(phase)) {
      issues.push({ path, message: 'A phase must be an object with a key and steps.' })
      continue
    }
    issues.push(...checkPhase(phase, { path, catalog }))
    if (typeof phase.key !== 'string') continue
    const first = firstOf.get(phase.key)
    if (first === undefined) firstOf.set(phase.key, index)
    else issues.push({ path: `${path}.key`, message: `phases[${first}] has this key already; choose another.` })
  }
  return issues
}

type Place = { path: string; catalog: Catalog }

function checkPhase(phase: Record<string, unknown>, { path, catalog }: Place): Issue[] {
  const issues = unknownKeys(phase, { path, known: ['key', 'label', 'steps', 'advance'] })
  const { key, steps, advance } = phase
  if (typeof key !== 'string' || !PHASE_KEY.test(key)) {
    const message =
      'A key must be a lower-case letter and then lower-case letters, digits or "-", up to 64, like "first-wave".'
    issues.push({ path: `${path}.key`, message })
  }
  issues.push(...checkLabel(phase, path))
  if (Array.isArray(steps)) {
    if (steps.length > MAX_STEPS) {
      const message = `A phase may have at most ${MAX_STEPS} steps, and this has ${steps.length}; move some to another phase.`
      issues.push({ path: `${path}.steps`, message })
    }
    for (const [index, step] of steps.entries()) {
      issues.push(...checkStep(step, { path: `${path}.steps[${index}]`, catalog }))
    }
  } else {
    issues.push({ path: `${path}.steps`, message: 'Steps must be a list; make it empty where the phase does nothing.' })
  }
  if (advance !== undefined && advance !== null)
    issues.push(...checkGate(advance, { path: `${path}.advance`, catalog }))
  return issues
}

function checkStep(step: unknown, { path, catalog }: Place): Issue[] {
  if (!isObject(step)) return [{ path, message: 'A step must be an object with an actionId and params.' }]
  const issues = [
    ...unknownKeys(step, { path, known: ['actionId', 'label', 'params', 'onFailure'] }),
    ...checkLabel(step, path),
  ]
  const { actionId, onFailure, params = {} } = step
  if (onFailure !== undefined && onFailure !== null && !ON_FAILURE.includes(onFailure)) {
    const message = '"onFailure" must be SKIP, PAUSE or ABORT_RUN; leave it out to follow the risk of the action.'
    issues.push({ path: `${path}.onFailure`, message })
  }
  const action = typeof actionId === 'string' ? catalog.action(actionId) : undefined
  if (typeof actionId !== 'string' || actionId === '') {
    issues.push({ path: `${path}.actionId`, message: 'A step must name its action, like "core.log".' })
  } else if (action === undefined) {
    issues.push({ path: `${path}.actionId`, message: notRegistered('action', actionId) })
  }
  if (!isObject(params)) {
    issues.push({ path: `${path}.params`, message: 'Params must be an object of values by name.' })
  } else if (nestsDeeperThan(params, MAX_JSON_DEPTH)) {
    issues.push({
      path: `${path}.params`,
      message: `Params may nest at most ${MAX_JSON_DEPTH} deep; make them flatter.`,
    })
  } else if (action !== undefined) {
    issues.push(...checkParams(action, params, { path: `${path}.params`, actionId: String(actionId) }))
  }
  return issues
}

/** The check is the module's code, which may fail like any of it. */
function checkParams(
  action: NonNullable<ReturnType<Catalog['action']>>,
  params: Record<string, unknown>,
  { path, actionId }: { path: string; actionId: string },
): Issue[] {
  try {
    return action.checkDraft(params).map((issue) => ({ ...issue, path: joinPath(path, issue.path) }))
  } catch (fault) {
    return [
      {
        path,
        message: `${actionId} could not check these params (${failureOf(fault)}); tell the author of its module.`,
      },
    ]
  }
}

function checkGate(gate: unknown, { path, catalog }: Place): Issue[] {
  const one = 'A gate must be exactly one of {"after": "30m"} and {"trigger": {"on": …}}; leave it out for none.'
  if (!isObject(gate)) return [{ path, message: one }]
  const kinds = Object.keys(gate)
  const [kind] = kinds
  if (kinds.length !== 1 || (kind !== 'after' && kind !== 'trigger')) return [{ path, message: one }]
  if (kind === 'trigger') return checkTriggerGate(gate.trigger, { path: `${path}.trigger`, catalog })
  const { after } = gate
  const read = parseDuration(typeof after === 'string' ? after : '')
  return read.ok ? [] : [{ path: `${path}.after`, message: `"after" ${read.problem}` }]
}

function checkTriggerGate(trigger: unknown, { path, catalog }: Place): Issue[] {
  if (!isObject(trigger)) return [{ path, message: '"trigger" must be an object with "on".' }]
  const issues = unknownKeys(trigger, { path, known: ['on', 'where', 'count'] })
  const { on, count } = trigger
  if (typeof on !== 'string' || on === '') {
    issues.push({ path: `${path}.on`, message: '"on" must be the id of a trigger, like "shard.boss-slain".' })
  } else if (catalog.trigger(on) === undefined) {
    issues.push({ path: `${path}.on`, message: notRegistered('trigger', on) })
  }
  issues.push(...checkWhere(trigger, { path, catalog }))
  const fits = typeof count === 'number' && Number.isInteger(count) && count >= 1 && count <= MAX_COUNT
  if (count !== undefined && count !== null && !fits) {
    issues.push({
      path: `${path}.count`,
      message: `"count" must be a whole number from 1 to ${MAX_COUNT}; leave it out for 1.`,
    })
  }
  return issues
}

/** The condition of a trigger gate by itself, and against what its trigger's payload can be. */
function checkWhere({ on, where }: Record<string, unknown>, { path, catalog }: Place): Issue[] {
  if (where === undefined || where === null) return []
  const read = parseCondition(where, `${path}.where`)
  if (!read.ok) return read.issues
  const trigger = typeof on === 'string' ? catalog.trigger(on) : undefined
  if (trigger === undefined) return []
  return payloadFit(read.condition, { schema: trigger.payloadSchema, path: `${path}.where`, trigger: String(on) })
}

function checkLabel({ label }: Record<string, unknown>, path: string): Issue[] {
  return label === undefined || label === null || typeof label === 'string'
    ? []
    : [{ path: `${path}.label`, message: 'A label must be a text; leave it out for none.' }]
}

function notRegistered(kind: 'action' | 'trigger', id: string): string {
  const shown = id.length > 80 ? `${id.slice(0, 80)}…` : id
  return `There is no ${kind} "${shown}"; correct its id, or have the module that brings it loaded.`
}
