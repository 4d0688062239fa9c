import { z } from 'zod'
import { failureOf } from '../../domain/failure.ts'
import { isObject } from '../../domain/plain-object.ts'
import type { CompiledSchema, Finding, JudgedAs, Path, ScalarType } from './schema.ts'
import { kindOf, listed, missing, shown, typeName, unknownKey } from './schema.ts'

/** Whether it is a zod 4 schema, of whichever copy of zod. */
export const isZod = (given: unknown): given is z.core.$ZodType => isObject(given) && '_zod' in given

/** Makes a schema of a zod schema. */
export function compileZod(given: z.core.$ZodType): CompiledSchema {
  try {
    const { $schema: _, ...json } = z.toJSONSchema(given, { io: 'input', unrepresentable: 'any' })
    return { ok: true, schema: { json: { ...json }, judge: (value) => judgeZod(given, value) } }
  } catch (error) {
    return { ok: false, problem: `cannot be shown as JSON Schema (${failureOf(error)}); simplify it.` }
  }
}

/** Validates and words what is wrong. */
export function judgeZod<T>(schema: z.core.$ZodType<T>, value: unknown): JudgedAs<T> {
  const result = z.core.safeParse(schema, value, { error: sentence })
  if (result.success) return { ok: true, value: result.data }
  return {
    ok: false,
    findings: result.error.issues.flatMap((issue) => findingsOf(issue, schema)),
    wants: result.error.issues.flatMap((issue) => wantsOf(issue, [])),
  }
}

const plainPath = (path: readonly PropertyKey[]): Path =>
  path.map((key) => (typeof key === 'symbol' ? String(key) : key))

function findingsOf(issue: z.core.$ZodIssue, schema: z.core.$ZodType): Finding[] {
  const path = plainPath(issue.path)
  if (issue.code === 'unrecognized_keys') {
    // The names that would be right are only at hand for the outermost object.
    const known = path.length === 0 && schema instanceof z.core.$ZodObject ? Object.keys(schema._zod.def.shape) : []
    return issue.keys.map((key) => ({ path: [...path, key], message: unknownKey(known), judges: 'key' }))
  }
  const whole = issue.code === 'invalid_union' || issue.code === 'custom' || issue.code === 'invalid_value'
  return [{ path, message: issue.message, judges: whole ? 'whole' : 'value' }]
}

function wantsOf(issue: z.core.$ZodIssue, above: Path): { path: Path; type: ScalarType }[] {
  const path = [...above, ...plainPath(issue.path)]
  if (issue.code === 'invalid_union') {
    // Of alternatives the one that came nearest is meant.
    const nearest = issue.errors.toSorted((a, b) => a.length - b.length)[0]
    const all = issue.errors.every((errors) => errors.length === 1) ? issue.errors.flat() : (nearest ?? [])
    return all.flatMap((inner) => wantsOf(inner, path))
  }
  if (issue.code === 'invalid_type') {
    if (issue.expected === 'boolean') return [{ path, type: 'boolean' }]
    return issue.expected === 'number' || issue.expected === 'int' ? [{ path, type: 'number' }] : []
  }
  if (issue.code !== 'invalid_value') return []
  return (['number', 'boolean'] as const)
    .filter((type) => issue.values.some((value) => typeof value === type))
    .map((type) => ({ path, type }))
}

/** What a schema's author did not word. */
const sentence: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return missing(issue.expected)
      return typeof issue.input === 'number' && issue.expected === 'int'
        ? `must be a whole number, and is ${shown(issue.input)}.`
        : `must be ${typeName(issue.expected)}, and is ${kindOf(issue.input)}.`
    case 'invalid_value':
      if (issue.input === undefined)
        return `is missing; give ${issue.values.length === 1 ? '' : 'one of '}${listed(issue.values)}.`
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${listed(issue.values)}, and is ${shown(issue.input)}.`
    case 'too_small':
      return bound(issue, Number(issue.minimum), issue.inclusive === false ? 'more than' : 'at least')
    case 'too_big':
      return bound(issue, Number(issue.maximum), issue.inclusive === false ? 'less than' : 'at most')
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}, and is ${shown(issue.input)}.`
    case 'invalid_format':
      return `must be ${FORMATS[issue.format] ?? `written as ${issue.format}${issue.pattern ? ` (${issue.pattern})` : ''}`}, and is ${shown(issue.input)}.`
    case 'invalid_union':
      return `fits none of the forms that are allowed here: ${alternatives(issue.errors)}`
    case 'custom':
      return `is not allowed: ${shown(issue.input)}; give another value.`
    default:
      return undefined
  }
}

const FORMATS: Record<string, string> = {
  email: 'an e-mail address',
  url: 'a URL',
  uuid: 'a UUID',
  datetime: 'a date and time in ISO 8601',
  date: 'a date like 2026-01-31',
  time: 'a time like 20:00:00',
}

function bound(issue: { origin: string; input?: unknown }, limit: number, relation: string): string {
  if (issue.origin === 'string') {
    if (issue.input === '' && limit === 1) return 'must not be empty.'
    return `must have ${relation} ${limit} characters, and has ${sizeOf(issue.input)}.`
  }
  if (issue.origin === 'array' || issue.origin === 'set') {
    return `must have ${relation} ${limit} entries, and has ${sizeOf(issue.input)}.`
  }
  return `must be ${relation} ${limit}, and is ${shown(issue.input)}.`
}

const sizeOf = (value: unknown): number => (typeof value === 'string' || Array.isArray(value) ? value.length : 0)

function alternatives(errors: readonly (readonly z.core.$ZodIssue[])[]): string {
  const clauses = errors.flatMap(([first]) =>
    first === undefined ? [] : [`${first.path.map((key) => `${String(key)} `).join('')}${first.message}`],
  )
  return clauses.length === 0
    ? 'give another value.'
    : clauses
        .map((clause) => clause.replace(/\.$/, ''))
        .join(', or ')
        .concat('.')
}
