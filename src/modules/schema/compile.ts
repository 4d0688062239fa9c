import { isObject } from '../../domain/plain-object.ts'
import { compileJsonSchema } from './json-schema.ts'
import type { CompiledSchema } from './schema.ts'
import { compileZod, isZod } from './zod-schema.ts'

/** Makes a schema of what a module gives as `params` or `payload`: a zod 4 schema or a JSON Schema of an object. */
export function compileSchema(given: unknown): CompiledSchema {
  if (!isObject(given)) return { ok: false, problem: 'must be a zod schema or a JSON Schema, and is neither.' }
  const isZod3 = !isZod(given) && '_def' in given && 'safeParse' in given
  if (isZod3) return { ok: false, problem: 'is a schema of zod 3; use zod 4 or a JSON Schema.' }
  const compiled = isZod(given) ? compileZod(given) : compileJsonSchema(given)
  if (!compiled.ok) return compiled
  const { type } = compiled.schema.json
  const takesObjects = type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'))
  return takesObjects
    ? compiled
    : { ok: false, problem: `must be a schema of an object, and is one of ${String(type)}.` }
}
