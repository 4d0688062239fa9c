import { actionsOf, capsOf, hasRoom, leftOf, type Setting, spentAfter } from './budget.ts'
import type { CatalogAction } from './catalog.ts'
import type { Issue } from './issue.ts'
import { joinPath } from './issue-path.ts'
import type { Outcome } from './outcome.ts'
import { defaultsOf, type ParamValue } from './parameters.ts'
import { placeholdersIn, renderParams } from './template.ts'
import { type Remark, type StepPlace, shortened, type Verifiable } from './verification.ts'

/** What a verification has to know of a registered action. */
export type VerifiableAction = CatalogAction & {
  supportsVerify: boolean
  checkFilled(
    params: Record<string, unknown>,
  ): { ok: true; params: Record<string, unknown> } | { ok: false; issues: Issue[] }
  cost(params: Record<string, unknown>): { ok: true; cost: Record<string, number> } | { ok: false; error: string }
}

/** What steps are checked against. */
export type World<Action extends VerifiableAction> = {
  action(id: string): Action | undefined
  whyMissing(id: string): string
  /** By action; what an admin set nothing for is enabled and without caps. */
  settings: ReadonlyMap<string, Setting>
}

type Phases = Verifiable['spec']['phases']

/** `call`: what the step's action is to be asked with; null where it is not asked. */
export type CheckedStep<Action> = {
  place: StepPlace
  remarks: Remark[]
  call: { action: Action; params: Record<string, unknown> } | null
}

const error = (message: string): Remark => ({ finding: 'ERROR', message })
const warning = (message: string): Remark => ({ finding: 'WARNING', message })
const ok = (message: string): Remark => ({ finding: 'OK', message })

/** Longest part of a message that a module wrote, so that what follows it is read too. */
const MAX_QUOTE = 1_000

/**
 * Checks every step as far as that needs no call: action there and switched on, placeholders known, params fit with the
 * defaults filled in, cost told and within the caps. A step that holds a placeholder of a parameter without a default is
 * neither called nor costed; of its params is judged what does not depend on it.
 */
export function checkSteps<Action extends VerifiableAction>(
  { spec: { phases }, parameters }: Verifiable,
  world: World<Action>,
): CheckedStep<Action>[] {
  const defaults = defaultsOf(parameters)
  const names = new Set(parameters.map(({ name }) => name))
  const budget = new Meter(capsOf(actionsOf(phases), world.settings))
  return phases.flatMap(({ key, steps }, index) =>
    steps.map((step, seq) => {
      const { actionId, label = null } = step
      const place = { path: `phases[${index}].steps[${seq}]`, phase: key, seq, actionId, label }
      return { place, ...checkStep(step, { world, defaults, names, budget }) }
    }),
  )
}

type Around<Action extends VerifiableAction> = {
  world: World<Action>
  defaults: Record<string, ParamValue>
  names: ReadonlySet<string>
  budget: Meter
}

function checkStep<Action extends VerifiableAction>(
  { actionId, actionVersion, params }: Phases[number]['steps'][number],
  { world, defaults, names, budget }: Around<Action>,
): Omit<CheckedStep<Action>, 'place'> {
  const action = world.action(actionId)
  if (action === undefined) return { remarks: [error(world.whyMissing(actionId))], call: null }
  const remarks: Remark[] = []
  if (actionVersion !== undefined && actionVersion !== action.version) {
    const message = `${actionId} is registered as version ${action.version} and was version ${actionVersion} when this was published; the registered one is called.`
    remarks.push(ok(message))
  }
  const enabled = world.settings.get(actionId)?.enabled !== false
  if (!enabled) {
    const message = `An admin switched ${actionId} off, so that the step would be refused; have it switched on, or use another action.`
    remarks.push(error(message))
  }
  const placeholders = placeholdersIn(params)
  const unknown = placeholders.filter((name) => !names.has(name))
  if (unknown.length > 0) {
    const which = unknown.length === 1 ? 'is no parameter and stays' : 'are no parameters and stay'
    remarks.push(warning(`${listed(unknown)} ${which} in the text as written; correct the name, or add the parameter.`))
  }
  const open = placeholders.filter((name) => names.has(name) && !Object.hasOwn(defaults, name))
  if (open.length > 0) {
    const which = open.length === 1 ? 'has no default' : 'have no default'
    const message = `${listed(open)} ${which}, so that the step was neither tried nor its cost counted; give one, or look the step over yourself.`
    remarks.push(warning(message))
    const issues = action.checkDraft(params)
    if (issues.length > 0) remarks.push(unfit(issues))
    return { remarks, call: null }
  }
  const checked = action.checkFilled(renderParams(params, defaults))
  if (!checked.ok) return { remarks: [...remarks, unfit(checked.issues)], call: null }
  const cost = action.cost(checked.params)
  const tooMuch = cost.ok ? budget.spend(cost.cost) : cost.error
  if (tooMuch !== null) remarks.push(error(tooMuch))
  if (!action.supportsVerify) {
    remarks.push(
      ok(`Its params fit. ${actionId} cannot be asked whether the step would work: it does not support that.`),
    )
  }
  return { remarks, call: action.supportsVerify && enabled ? { action, params: checked.params } : null }
}

const listed = (names: readonly string[]): string => names.map((name) => `{${name}}`).join(', ')

function unfit(issues: readonly Issue[]): Remark {
  const problems = issues.map(({ path, message }) => `${joinPath('params', path)} ${message}`).join(' ')
  return error(`Its params do not fit: ${shortened(problems, MAX_QUOTE)}`)
}

/** What the answer of an action that was asked means; null: the time for all calls was over before it was asked. */
export function remarkOn(actionId: string, outcome: Outcome | null): Remark {
  if (outcome === null || (outcome.kind === 'failed' && outcome.timedOut === true)) {
    const message = `${actionId} did not answer in time, so that nobody knows whether the step would work; see that what it talks to is up, and verify again.`
    return warning(message)
  }
  if (outcome.kind === 'done' || outcome.kind === 'parked') return ok(`${actionId} was asked: the step would work.`)
  // Shortened first: to look for the end of a long text takes its length squared.
  const said = shortened(outcome.error, MAX_QUOTE).replace(/[\s.]+$/, '')
  return error(
    `${actionId} was asked whether the step would work, and failed: ${said}. Put that right and verify again.`,
  )
}

/**
 * The meter of a run that did every step that can be costed, in order, as the runner keeps it: a step that does not fit
 * under every cap spends nothing.
 */
class Meter {
  readonly #caps: ReadonlyMap<string, { cap: number; from: string }>
  readonly #consumed = new Map<string, number>()

  constructor(caps: ReadonlyMap<string, { cap: number; from: string }>) {
    this.#caps = caps
  }

  /** Null where there is room, and then it is spent; else what is missing and what to do. */
  spend(costs: Readonly<Record<string, number>>): string | null {
    const problems = Object.entries(costs).flatMap(([dimension, cost]) => {
      const bound = this.#caps.get(dimension)
      const consumed = this.#of(dimension)
      if (bound === undefined || hasRoom({ consumed, cost, cap: bound.cap })) return []
      const left = `the steps before it leave ${leftOf(bound.cap, consumed)} of the ${bound.cap} that the settings of ${bound.from} allow a run`
      return [`It costs ${cost} ${dimension}, and ${left}; lower what the steps cost, or have the cap raised.`]
    })
    if (problems.length > 0) return problems.join(' ')
    for (const [dimension, cost] of Object.entries(costs))
      this.#consumed.set(dimension, spentAfter(this.#of(dimension), cost))
    return null
  }

  #of(dimension: string): number {
    return this.#consumed.get(dimension) ?? 0
  }
}
