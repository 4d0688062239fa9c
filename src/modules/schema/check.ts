import { failureOf } from '../../domain/failure.ts'
import type { Issue } from '../../domain/issue.ts'
import { writtenPath } from '../../domain/issue-path.ts'
import { isObject } from '../../domain/plain-object.ts'
import { placeholdersIn } from '../../domain/template.ts'
import type { Finding, Judged, Path, ScalarType, Schema } from './schema.ts'

export type Checked = { ok: true; params: Record<string, unknown> } | { ok: false; issues: Issue[] }

/**
 * What is wrong with values as authored. A text that holds a placeholder is not judged, and neither is an alternative or
 * comparison that such a text takes part in: what it will be is not known before it is filled.
 */
export function checkDraft(schema: Schema, params: Record<string, unknown>): Issue[] {
  const judged = judge(schema, params)
  if (judged.ok) return []
  return judged.findings.filter((finding) => !isOpen(finding, params)).map(issueOf)
}

/**
 * Validates values whose placeholders are filled, and answers them as the schema makes them. A text that stands where a
 * number or a boolean is wanted and reads as one becomes one.
 */
export function checkFilled(schema: Schema, params: Record<string, unknown>): Checked {
  let current: unknown = params
  // Ends, because each turn leaves fewer texts.
  for (;;) {
    const judged = judge(schema, current)
    if (judged.ok) {
      if (isObject(judged.value)) return { ok: true, params: judged.value }
      return { ok: false, issues: [{ path: '', message: 'must be an object after the transforms of its schema.' }] }
    }
    const converted = convert(current, judged.wants)
    if (converted === null) return { ok: false, issues: judged.findings.map(issueOf) }
    current = converted
  }
}

/** What is wrong with values that are to be taken as they are, with nothing to fill and nothing to convert. */
export function checkExact(schema: Schema, values: unknown): Issue[] {
  const judged = judge(schema, values)
  return judged.ok ? [] : judged.findings.map(issueOf)
}

/** A schema may hold code of its author, and that may throw. */
function judge(schema: Schema, value: unknown): Judged {
  try {
    return schema.judge(value)
  } catch (error) {
    const message = `cannot be checked, because its schema fails (${failureOf(error)}); correct the module.`
    return { ok: false, findings: [{ path: [], message, judges: 'whole' }], wants: [] }
  }
}

function isOpen({ judges, path }: Finding, params: unknown): boolean {
  if (judges === 'key') return false
  const value = valueAt(params, path)
  return (judges === 'whole' || typeof value === 'string') && placeholdersIn(value).length > 0
}

/** A copy in which texts that read as what is wanted in their place are that; null where there is none. */
function convert(given: unknown, wants: readonly { path: Path; type: ScalarType }[]): unknown {
  const root: unknown = structuredClone(given)
  let changed = false
  for (const { path, type } of wants) {
    const key = path.at(-1)
    const holder = valueAt(root, path.slice(0, -1))
    const text = valueAt(root, path)
    const value = typeof text === 'string' ? read(text.trim(), type) : undefined
    if (key === undefined || value === undefined || typeof holder !== 'object' || holder === null) continue
    changed = Reflect.set(holder, key, value) || changed
  }
  return changed ? root : null
}

const NUMERIC = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i

function read(text: string, type: ScalarType): number | boolean | undefined {
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined
  const value = NUMERIC.test(text) ? Number(text) : Number.NaN
  return Number.isFinite(value) ? value : undefined
}

function valueAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined,
    root,
  )
}

/** A finding as an issue with its path written out: `items[0].name`. */
export function issueOf({ path, message }: Finding): Issue {
  return { path: writtenPath(path), message }
}
