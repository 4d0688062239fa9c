import type { Catalog } from '../domain/catalog.ts'
import { type Censor, censorOf } from '../domain/censor.ts'
import { admit } from './admission.ts'
import { discreetAction, discreetTrigger } from './discreet.ts'
import { CORE } from './module.ts'
import type { RegisteredAction, RegisteredTrigger } from './registered.ts'

/** A module that is not there although somebody wanted it: `source` is how it was named, `problems` sentences. */
export type ModuleFailure = { source: string; problems: string[] }

export type Registration = { ok: true; id: string } | { ok: false; problems: string[] }

/** What an action or trigger can be called. */
const ID = /^[a-z][a-z0-9-]*\.[\w.-]{1,128}$/

/** All actions and triggers that events can use. Filled at start, and later by modules over HTTP that were not up then. */
export class Registry implements Catalog {
  readonly #modules = new Set<string>()
  readonly #actions = new Map<string, RegisteredAction>()
  readonly #triggers = new Map<string, RegisteredTrigger>()
  readonly #censor: Censor
  #failures: ModuleFailure[] = []

  /** `censor` strikes the server's secrets out of what modules say of themselves; without one, what looks like a secret. */
  constructor({ censor = censorOf([]) }: { censor?: Censor } = {}) {
    this.#censor = censor
  }

  /**
   * Takes a module in, whole or not at all; a refusal names everything that is wrong and is kept in `failures`.
   * `exported` is what a module's file exports; `source` is where it came from; `core` is for Cuelight's own module.
   */
  register(exported: unknown, { source, core = false }: { source?: string; core?: boolean } = {}): Registration {
    const admission = admit(exported)
    const problems = admission.ok ? this.#clashes(admission, core) : admission.problems
    if (!admission.ok || problems.length > 0) {
      this.fail({ source: source ?? admission.id ?? 'a module without an id', problems })
      return { ok: false, problems }
    }
    this.#modules.add(admission.id)
    for (const action of admission.actions) this.#actions.set(action.id, discreetAction(action, this.#censor))
    for (const trigger of admission.triggers) this.#triggers.set(trigger.id, discreetTrigger(trigger, this.#censor))
    return { ok: true, id: admission.id }
  }

  /** Records a module that could not even be read. */
  fail(failure: ModuleFailure): void {
    this.#failures.push(failure)
  }

  /** Forgets what was wrong with a module that is tried again. */
  forgive(source: string): void {
    this.#failures = this.#failures.filter((failure) => failure.source !== source)
  }

  action(id: string): RegisteredAction | undefined {
    return this.#actions.get(id)
  }

  /** By id. */
  actions(): RegisteredAction[] {
    return byId(this.#actions)
  }

  trigger(id: string): RegisteredTrigger | undefined {
    return this.#triggers.get(id)
  }

  /** By id. */
  triggers(): RegisteredTrigger[] {
    return byId(this.#triggers)
  }

  /** The modules that did not load. */
  failures(): readonly ModuleFailure[] {
    return this.#failures
  }

  /** Why there is no such action or trigger, as a sentence that names it and its module. */
  whyMissing(id: string): string {
    const [module = id] = id.split('.', 1)
    if (!ID.test(id))
      return `${quoted(id)} is no id: one is like "shard.spawn", with its module's before the dot; correct it.`
    if (this.#modules.has(module)) return `${id} is not registered: the module "${module}" has nothing of that name.`
    const others = this.#failures.map(({ source }) => source).join(', ')
    const hint =
      others === ''
        ? 'add it to CUELIGHT_MODULES or CUELIGHT_REMOTE_MODULES'
        : `these did not load: ${others}; see the server's log`
    return `${id} is not registered: no module "${module}" is loaded; ${hint}.`
  }

  #clashes({ id, actions, triggers }: Extract<ReturnType<typeof admit>, { ok: true }>, core: boolean): string[] {
    if (id === CORE && !core)
      return [`Module "${CORE}": id is Cuelight's own, and so are names that start with "${CORE}."; rename it.`]
    if (this.#modules.has(id))
      return [`Module "${id}": id is taken by a module that is loaded already; load it once, or rename one.`]
    return [...repeated('Action', actions), ...repeated('Trigger', triggers)]
  }
}

/** What an author wrote, however long. */
const quoted = (id: string): string => JSON.stringify(id.length > 60 ? `${id.slice(0, 59)}…` : id)

const byId = <T extends { id: string }>(things: ReadonlyMap<string, T>): T[] =>
  [...things.values()].sort((a, b) => (a.id < b.id ? -1 : 1))

/** Ids start with their module's, and modules are unlike: only a module's own can be alike. */
function repeated(kind: string, things: readonly { id: string }[]): string[] {
  const seen = new Set<string>()
  const twice = new Set<string>()
  for (const { id } of things) (seen.has(id) ? twice : seen).add(id)
  return [...twice].map((id) => `${kind} ${id}: id is given to two ${kind.toLowerCase()}s; rename one.`)
}
