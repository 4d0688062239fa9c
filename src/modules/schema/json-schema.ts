import { createRequire } from 'node:module'
import type { Ajv, ErrorObject, Options, ValidateFunction } from 'ajv'
import { failureOf } from '../../domain/failure.ts'
import type { JsonSchema } from '../module.ts'
import type { CompiledSchema, Finding, Judged, Path, ScalarType } from './schema.ts'
import { kindOf, listed, missing, shown, typeName, unknownKey } from './schema.ts'

const OPTIONS: Options = {
  allErrors: true,
  strict: false,
  useDefaults: true,
  ownProperties: true,
  // Two modules may use one $id, and a module may be registered again.
  addUsedSchema: false,
  verbose: true,
  logger: false,
}

// Each compiles its meta-schema first, which takes a while: not before the first JSON Schema of its draft.
let draft7: Ajv | undefined
let draft2020: Ajv | undefined

// Most modules have zod schemas, and compiling cannot wait for an import.
const require = createRequire(import.meta.url)

const isDraft7 = ({ $schema }: JsonSchema) => typeof $schema === 'string' && /draft-0[67]/.test($schema)

function newDraft7(options: Options): Ajv {
  const { Ajv }: typeof import('ajv') = require('ajv')
  return withFormats(new Ajv(options))
}

function newDraft2020(options: Options): Ajv {
  const { Ajv2020 }: typeof import('ajv/dist/2020.js') = require('ajv/dist/2020.js')
  return withFormats(new Ajv2020(options))
}

function withFormats(ajv: Ajv): Ajv {
  const formats: typeof import('ajv-formats') = require('ajv-formats')
  return formats.default(ajv)
}

function validatorOf(schema: JsonSchema): ValidateFunction {
  try {
    if (isDraft7(schema)) {
      draft7 ??= newDraft7(OPTIONS)
      return draft7.compile(schema)
    }
    draft2020 ??= newDraft2020(OPTIONS)
    return draft2020.compile(schema)
  } catch {
    // It may refer to itself as a whole, which is found only in an instance that keeps it: one of its own.
    const options = { ...OPTIONS, addUsedSchema: true }
    return (isDraft7(schema) ? newDraft7(options) : newDraft2020(options)).compile(schema)
  }
}

/** Makes a schema of a JSON Schema: draft 2020-12, or draft-07 where `$schema` says so. Defaults are filled in. */
export function compileJsonSchema(given: JsonSchema): CompiledSchema {
  try {
    if (given.$async === true) return { ok: false, problem: 'must not be asynchronous; remove $async.' }
    const json = structuredClone(given)
    const validate = validatorOf(json)
    const judge = (given: unknown): Judged => {
      const value: unknown = structuredClone(given)
      if (validate(value)) return { ok: true, value }
      const errors = validate.errors ?? []
      return {
        ok: false,
        findings: errors.filter((error) => !isInAlternative(error)).map((error) => findingOf(error, value)),
        wants: errors.flatMap((error) => wantsOf(error, value)),
      }
    }
    return { ok: true, schema: { json, judge } }
  } catch (error) {
    return { ok: false, problem: `is no JSON Schema that can be used (${failureOf(error)}); correct it.` }
  }
}

/** What an alternative did not take is summed up by a finding of its own. */
const isInAlternative = (error: ErrorObject): boolean =>
  /\/(anyOf|oneOf|not|if|contains)\//.test(error.schemaPath) &&
  !/\/(anyOf|oneOf|not|if|contains)$/.test(error.schemaPath)

const WHOLE = new Set(['anyOf', 'oneOf', 'not', 'if', 'contains', 'const', 'enum', 'uniqueItems'])

function findingOf(error: ErrorObject, root: unknown): Finding {
  const path = pathOf(error.instancePath, root)
  const { params } = error
  if (error.keyword === 'required' || error.keyword === 'dependentRequired') {
    const type = error.parentSchema?.properties?.[params.missingProperty]?.type
    const message = missing(typeof type === 'string' ? type : undefined)
    return { path: [...path, String(params.missingProperty)], message, judges: 'key' }
  }
  if (error.keyword === 'additionalProperties' || error.keyword === 'unevaluatedProperties') {
    const key = String(params.additionalProperty ?? params.unevaluatedProperty)
    return {
      path: [...path, key],
      message: unknownKey(Object.keys(error.parentSchema?.properties ?? {})),
      judges: 'key',
    }
  }
  if (error.keyword === 'propertyNames') {
    return { path: [...path, String(params.propertyName)], message: 'is no name that is allowed here.', judges: 'key' }
  }
  return { path, message: sentence(error), judges: WHOLE.has(error.keyword) ? 'whole' : 'value' }
}

function sentence({ keyword, params, data, message }: ErrorObject): string {
  switch (keyword) {
    case 'type':
      return `must be ${typesOf(params.type).map(typeName).join(' or ')}, and is ${kindOf(data)}.`
    case 'enum':
      return `must be one of ${listed(params.allowedValues)}, and is ${shown(data)}.`
    case 'const':
      return `must be ${shown(params.allowedValue)}, and is ${shown(data)}.`
    case 'anyOf':
    case 'oneOf':
      return 'fits none of the forms that are allowed here, or more than one; see its schema.'
    case 'minLength':
      if (params.limit === 1) return 'must not be empty.'
      break
    case 'false schema':
      return 'must be left out.'
  }
  return `${message ?? 'is not valid'}, and is ${shown(data)}.`
}

function wantsOf(error: ErrorObject, root: unknown): { path: Path; type: ScalarType }[] {
  const path = pathOf(error.instancePath, root)
  const types = new Set<string>()
  if (error.keyword === 'type') for (const type of typesOf(error.params.type)) types.add(type)
  if (error.keyword === 'enum') for (const value of error.params.allowedValues) types.add(typeof value)
  if (error.keyword === 'const') types.add(typeof error.params.allowedValue)
  if (types.has('integer')) types.add('number')
  return (['number', 'boolean'] as const).filter((type) => types.has(type)).map((type) => ({ path, type }))
}

const typesOf = (type: unknown): string[] => (Array.isArray(type) ? type.map(String) : String(type).split(','))

/** The path that a JSON Pointer names, with numbers where it goes into a list. */
function pathOf(pointer: string, root: unknown): Path {
  let current: unknown = root
  return pointer
    .split('/')
    .slice(1)
    .map((part) => {
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
      const place = Array.isArray(current) ? Number(key) : key
      current = typeof current === 'object' && current !== null ? Reflect.get(current, place) : undefined
      return place
    })
}
