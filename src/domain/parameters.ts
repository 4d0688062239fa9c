import { closedText } from './bidi.ts'
import type { Issue } from './issue.ts'
import { isObject } from './plain-object.ts'
import { isStorable, UNSTORABLE } from './storable.ts'
import { PARAMETER_NAME } from './template.ts'
import { unknownKeys } from './unknown-keys.ts'

export const PARAMETER_TYPES = ['TEXT', 'INTEGER', 'NUMBER', 'BOOLEAN', 'CHOICE'] as const
export type ParameterType = (typeof PARAMETER_TYPES)[number]

/** A value that a run asks for when it starts, as stored. */
export type Parameter = {
  name: string
  label: string
  type: ParameterType
  required: boolean
  /** As text, whatever the type. */
  default: string | null
  /** What a CHOICE may be; null for other types. */
  options: string[] | null
}

/** A parameter as it is sent: all but the name may be left out. */
export type ParameterInput = {
  name: string
  label?: string | null
  type?: ParameterType | null
  required?: boolean | null
  default?: string | null
  options?: readonly string[] | null
}

export type ParamValue = string | number | boolean

export const MAX_PARAMETERS = 50
export const MAX_OPTIONS = 200
export const MAX_PARAMETER_NAME = 64

/** A parameter with its defaults: the label is the name, the type TEXT, not required. */
export function normaliseParameter(input: ParameterInput): Parameter {
  return {
    name: input.name,
    label: closedText(input.label ?? input.name),
    type: input.type ?? 'TEXT',
    required: input.required ?? false,
    default: input.default ?? null,
    options: input.options ? [...input.options] : null,
  }
}

/** All that is wrong with a definition's parameters, which may be JSON of any shape. Paths: `parameters[0].name`. */
export function checkParameters(parameters: unknown): Issue[] {
  if (!Array.isArray(parameters)) return [{ path: 'parameters', message: 'Parameters must be a list.' }]
  const issues: Issue[] = []
  if (parameters.length > MAX_PARAMETERS) {
    const message = `A definition may have at most ${MAX_PARAMETERS} parameters, and this has ${parameters.length}; remove some.`
    issues.push({ path: 'parameters', message })
  }
  const firstOf = new Map<string, number>()
  for (const [index, parameter] of parameters.entries()) {
    const path = `parameters[${index}]`
    if (!isObject(parameter)) {
      issues.push({ path, message: 'A parameter must be an object with a name.' })
      continue
    }
    issues.push(...checkParameter(parameter, path))
    const { name } = parameter
    if (typeof name !== 'string') continue
    const first = firstOf.get(name)
    if (first === undefined) firstOf.set(name, index)
    else issues.push({ path: `${path}.name`, message: `parameters[${first}] has this name already; choose another.` })
  }
  return issues
}

function checkParameter(parameter: Record<string, unknown>, path: string): Issue[] {
  const issues = unknownKeys(parameter, { path, known: ['name', 'label', 'type', 'required', 'default', 'options'] })
  const refuse = (key: string, message: string) => issues.push({ path: `${path}.${key}`, message })
  const { name, label, required, options, default: preset } = parameter
  const type = PARAMETER_TYPES.find((known) => known === (parameter.type ?? 'TEXT'))
  if (typeof name !== 'string' || !PARAMETER_NAME.test(name) || name.length > MAX_PARAMETER_NAME) {
    refuse(
      'name',
      `A name must be a letter and then letters, digits or "_", up to ${MAX_PARAMETER_NAME} characters, like "region".`,
    )
  }
  if (!isAbsent(label) && typeof label !== 'string')
    refuse('label', 'A label must be a text; leave it out for the name.')
  if (type === undefined) refuse('type', `A type must be one of ${PARAMETER_TYPES.join(', ')}.`)
  if (!isAbsent(required) && typeof required !== 'boolean') refuse('required', '"required" must be true or false.')

  const choices = readOptions(options)
  if (type === 'CHOICE' && choices === null) {
    const message = `A CHOICE needs options: a list of 1 to ${MAX_OPTIONS} texts, each once and none empty.`
    refuse('options', message)
  }
  if (type !== 'CHOICE' && type !== undefined && !isAbsent(options)) {
    refuse('options', 'Only a CHOICE has options; remove them or make the type CHOICE.')
  }
  if (!isAbsent(preset) && typeof preset !== 'string') {
    refuse('default', 'A default must be written as a text, like "Yew", "5" or "true"; leave it out for none.')
  } else if (typeof preset === 'string' && type !== undefined && !(type === 'CHOICE' && choices === null)) {
    const read = readValue(preset, type, { options: choices })
    if (!read.ok) refuse('default', `The default ${read.problem}`)
  }
  return issues
}

export type ResolvedParams = { ok: true; params: Record<string, ParamValue> } | { ok: false; issues: Issue[] }

/**
 * The params of a run: what was given, checked and typed, and defaults for what was not. Null counts as not given, and so
 * does an empty text where a value is required; what has neither value nor default is absent. Numbers and booleans may be
 * given as texts. Every problem is named at once (`params.region`), a param that no parameter asks for among them.
 */
export function resolveParams(parameters: readonly Parameter[], given: unknown): ResolvedParams {
  if (!isAbsent(given) && !isObject(given)) {
    return { ok: false, issues: [{ path: 'params', message: 'Params must be an object of values by parameter name.' }] }
  }
  const values = given ?? {}
  const issues: Issue[] = []
  const params: [string, ParamValue][] = []
  for (const parameter of parameters) {
    const { name, type, options, required } = parameter
    const sent = Object.hasOwn(values, name) ? values[name] : null
    const value = isAbsent(sent) || (required && sent === '') ? parameter.default : sent
    if (isAbsent(value) || (required && value === '')) {
      if (required)
        issues.push({ path: `params.${name}`, message: `"${parameter.label}" is required; give it a value.` })
      continue
    }
    const read = readValue(value, type, { options })
    if (read.ok) params.push([name, read.value])
    else issues.push({ path: `params.${name}`, message: `"${parameter.label}" ${read.problem}` })
  }
  const names = parameters.map((parameter) => parameter.name)
  for (const name of Object.keys(values).filter((key) => !names.includes(key))) {
    const known = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`
    const path = `params.${name.length > 40 ? `${name.slice(0, 40)}…` : name}`
    issues.push({ path, message: `The event has no parameter of this name: ${known}. Remove it or correct its name.` })
  }
  return issues.length === 0 ? { ok: true, params: Object.fromEntries(params) } : { ok: false, issues }
}

/** The values of a run that is given none; a parameter without a default that can be used is absent. */
export function defaultsOf(parameters: readonly Parameter[]): Record<string, ParamValue> {
  const resolved = parameters.map((parameter) => resolveParams([parameter], null))
  return Object.fromEntries(resolved.flatMap((one) => (one.ok ? Object.entries(one.params) : [])))
}

type ReadValue = { ok: true; value: ParamValue } | { ok: false; problem: string }

/** `problem` is a clause that follows the name of the value. */
function readValue(value: unknown, type: ParameterType, { options }: { options: string[] | null }): ReadValue {
  const refuse = (problem: string): ReadValue => ({ ok: false, problem })
  switch (type) {
    case 'TEXT':
      if (typeof value !== 'string') return refuse('must be a text.')
      return isStorable(value) ? { ok: true, value } : refuse(`must not hold ${UNSTORABLE}; remove it.`)
    case 'INTEGER': {
      const number = typeof value === 'string' && /^[+-]?\d{1,16}$/.test(value.trim()) ? Number(value) : value
      return typeof number === 'number' && Number.isSafeInteger(number)
        ? { ok: true, value: number }
        : refuse('must be a whole number.')
    }
    case 'NUMBER': {
      const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i
      const number = typeof value === 'string' && decimal.test(value.trim()) ? Number(value) : value
      return typeof number === 'number' && Number.isFinite(number)
        ? { ok: true, value: number }
        : refuse('must be a number, with a point where it has decimals.')
    }
    case 'BOOLEAN': {
      const flag = value === 'true' ? true : value === 'false' ? false : value
      return typeof flag === 'boolean' ? { ok: true, value: flag } : refuse('must be true or false.')
    }
    case 'CHOICE': {
      const chosen = options?.find((option) => option === value)
      return chosen === undefined
        ? refuse(`must be one of its options: ${(options ?? []).join(', ')}.`)
        : { ok: true, value: chosen }
    }
  }
}

/** The options of a CHOICE; null where they are not a list of texts, each once and none empty. */
function readOptions(options: unknown): string[] | null {
  if (!Array.isArray(options) || options.length === 0 || options.length > MAX_OPTIONS) return null
  const texts = options.filter((option) => typeof option === 'string' && option !== '')
  return new Set(texts).size === options.length ? texts : null
}

const isAbsent = (value: unknown): value is null | undefined => value === null || value === undefined
