import { z } from 'zod'
import type { Risk } from '../domain/catalog.ts'
import { failureOf } from '../domain/failure.ts'
import { isObject } from '../domain/plain-object.ts'
import { CORE } from './module.ts'
import type { Cost, RegisteredAction, RegisteredTrigger } from './registered.ts'
import { checkDraft, checkExact, checkFilled, issueOf } from './schema/check.ts'
import { compileSchema } from './schema/compile.ts'
import { kindOf, shown } from './schema/schema.ts'
import { judgeZod } from './schema/zod-schema.ts'

/** A module that is in order, with what it brings; or all that is wrong with it, a sentence each. */
export type Admission =
  | { ok: true; id: string; actions: RegisteredAction[]; triggers: RegisteredTrigger[] }
  | { ok: false; id: string | null; problems: string[] }

type Code = (...given: unknown[]) => unknown

const NAME = /^[a-zA-Z0-9][a-zA-Z0-9_-]*(\.[a-zA-Z0-9][a-zA-Z0-9_-]*)*$/
const RISKS = { notify: 'NOTIFY', change: 'CHANGE', irreversible: 'IRREVERSIBLE' } as const satisfies Record<
  string,
  Risk
>

const code = z.custom<Code>((given) => typeof given === 'function', 'must be a function; write one.')
const text = z.string().trim().min(1)
const moduleShape = z.object({
  id: z
    .string()
    .max(64)
    .regex(/^[a-z][a-z0-9-]*$/, 'must be lower-case letters, digits and hyphens and start with a letter; rename it.'),
  actions: z.array(z.unknown()).default([]),
  triggers: z.array(z.unknown()).default([]),
})
const commonShape = z.object({ id: z.string().max(128), label: text, description: text.nullish() })
const actionShape = commonShape.extend({
  version: z
    .int('must be a whole number; start with 1 and raise it when the meaning of the action changes.')
    .min(1, 'must be at least 1; start with 1.')
    .max(2 ** 31 - 1, 'must be at most 2147483647; lower it.'),
  risk: z.enum(['notify', 'change', 'irreversible']),
  reversible: z.enum(['none', 'revert']).default('none'),
  budgetMs: z
    .int('must be a whole number of milliseconds; an answer later than this is a timeout.')
    .min(1, 'must be at least 1 ms; raise it.')
    .max(3_600_000, 'must be at most 3600000 ms, which is 1 h; lower it.'),
  dimensions: z.array(text).default([]),
  supportsVerify: z.boolean().default(false),
  publishesResults: z.unknown().optional(),
  perform: code,
  cost: code.optional(),
  revert: code.optional(),
})

/**
 * Looks through what a module exports, by itself: whether its ids are free is for the registry to say.
 * Never throws, whatever the module holds.
 */
export function admit(exported: unknown): Admission {
  try {
    const read = readShape(moduleShape, exported)
    if (!read.ok) {
      if (!isObject(exported)) return { ok: false, id: null, problems: [noModule(exported)] }
      const name = typeof exported.id === 'string' ? `Module ${shown(exported.id)}` : 'The module'
      return { ok: false, id: null, problems: read.problems.map((problem) => `${name}: ${problem}`) }
    }
    const { id, actions, triggers } = read.value
    const admitted = {
      actions: actions.map((given, index) => admitAction(given, { module: id, index })),
      triggers: triggers.map((given, index) => admitTrigger(given, { module: id, index })),
    }
    const problems = [...admitted.actions, ...admitted.triggers].flatMap((one) => (one.ok ? [] : one.problems))
    if (problems.length > 0) return { ok: false, id, problems }
    return {
      ok: true,
      id,
      actions: admitted.actions.flatMap((one) => (one.ok ? [one.value] : [])),
      triggers: admitted.triggers.flatMap((one) => (one.ok ? [one.value] : [])),
    }
  } catch (error) {
    return { ok: false, id: null, problems: [`The module cannot be read (${failureOf(error)}); correct it.`] }
  }
}

type Read<T> = { ok: true; value: T } | { ok: false; problems: string[] }
type Place = { module: string; index: number }

function admitAction(given: unknown, { module, index }: Place): Read<RegisteredAction> {
  const read = readShape(actionShape, given)
  const found = read.ok ? [] : read.problems
  const id = idOf(given)
  found.push(...idProblems(id, module))
  const compiled = compileSchema(isObject(given) ? given.params : undefined)
  if (!compiled.ok) found.push(`params ${compiled.problem}`)
  if (read.ok) found.push(...contradictions(read.value))
  const name = id === null ? `Module "${module}": actions[${index}]` : `Action ${id}`
  if (!read.ok || !compiled.ok || found.length > 0) return refused(name, found)

  const { schema } = compiled
  const { perform, cost, revert, risk, reversible, description, ...plain } = read.value
  return {
    ok: true,
    value: {
      ...plain,
      module,
      publishesResults: module === CORE && plain.publishesResults === true,
      description: description ?? null,
      risk: RISKS[risk],
      reversible: reversible === 'revert' ? 'REVERT' : 'NONE',
      paramsSchema: schema.json,
      checkDraft: (params) => checkDraft(schema, params),
      checkFilled: (params) => checkFilled(schema, params),
      cost: (params) => costOf(plain, () => (cost === undefined ? {} : Reflect.apply(cost, given, [params]))),
      // Methods keep their object: a module may be made of classes.
      perform: (envelope, context) => Reflect.apply(perform, given, [envelope, context]),
      revert: revert === undefined ? null : (request, context) => Reflect.apply(revert, given, [request, context]),
    },
  }
}

function admitTrigger(given: unknown, { module, index }: Place): Read<RegisteredTrigger> {
  const read = readShape(commonShape, given)
  const found = read.ok ? [] : read.problems
  const id = idOf(given)
  found.push(...idProblems(id, module))
  const compiled = compileSchema(isObject(given) ? given.payload : undefined)
  if (!compiled.ok) found.push(`payload ${compiled.problem}`)
  const name = id === null ? `Module "${module}": triggers[${index}]` : `Trigger ${id}`
  if (!read.ok || !compiled.ok || found.length > 0) return refused(name, found)
  const { schema } = compiled
  const { description, ...plain } = read.value
  return {
    ok: true,
    value: {
      ...plain,
      module,
      description: description ?? null,
      payloadSchema: schema.json,
      checkPayload: (payload) => checkExact(schema, payload),
    },
  }
}

const refused = (name: string, found: readonly string[]) => ({
  ok: false as const,
  problems: found.map((problem) => `${name}: ${problem}`),
})

function readShape<T>(shape: z.ZodType<T>, given: unknown): Read<T> {
  const judged = judgeZod(shape, given)
  if (judged.ok) return judged
  const issues = judged.findings.map(issueOf)
  return { ok: false, problems: issues.map(({ path, message }) => `${path} ${message}`.trim()) }
}

const idOf = (given: unknown): string | null => (isObject(given) && typeof given.id === 'string' ? given.id : null)

function idProblems(id: string | null, module: string): string[] {
  if (id === null) return []
  if (!id.startsWith(`${module}.`)) {
    const whose = id.startsWith('core.') ? `, and "core." is Cuelight's own` : ''
    return [`id must start with the id of its module, "${module}."${whose}; rename it.`]
  }
  return NAME.test(id) ? [] : [`id must be letters, digits, hyphens and underscores after "${module}."; rename it.`]
}

function contradictions({ reversible, revert, cost, dimensions }: z.output<typeof actionShape>): string[] {
  const found: string[] = []
  if (reversible === 'revert' && revert === undefined) {
    found.push("revert is missing, and reversible is 'revert'; write how to take it back, or say reversible: 'none'.")
  }
  if (reversible === 'none' && revert !== undefined) {
    found.push("revert would never be called, since reversible is not 'revert'; say so, or remove it.")
  }
  if (cost !== undefined && dimensions.length === 0) {
    found.push('dimensions must declare what cost names, and declares nothing; list them.')
  }
  if (new Set(dimensions).size < dimensions.length) found.push('dimensions must name each dimension once.')
  return found
}

function costOf({ id, dimensions }: { id: string; dimensions: readonly string[] }, cost: () => unknown): Cost {
  const refuse = (problem: string): Cost => ({ ok: false, error: `The cost of ${id} ${problem}; correct its module.` })
  try {
    const given = cost()
    if (given instanceof Promise) {
      given.catch(() => undefined)
      return refuse('must be told at once, and is a promise')
    }
    if (!isObject(given)) return refuse(`must be an object, and is ${kindOf(given)}`)
    const amounts: [string, number][] = []
    for (const [dimension, amount] of Object.entries(given)) {
      if (!dimensions.includes(dimension)) return refuse(`names "${dimension}", which its dimensions do not declare`)
      if (typeof amount !== 'number' || !Number.isFinite(amount) || amount < 0) {
        return refuse(`must be a number of 0 or more for "${dimension}", and is ${shown(amount)}`)
      }
      amounts.push([dimension, amount])
    }
    return { ok: true, cost: Object.fromEntries(amounts) }
  } catch (error) {
    return refuse(`failed (${failureOf(error)})`)
  }
}

const noModule = (exported: unknown): string =>
  `A module must export an object { id, actions, triggers } by default, and exports ${kindOf(exported)}; write export default defineModule({ … }).`
