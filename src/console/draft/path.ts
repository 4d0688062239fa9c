import { writtenPath } from '../../domain/issue-path.ts'
import { isObject, type JsonObject } from '../definitions/json.ts'
import { carryKey } from './part-key.ts'

/** Where something is in a draft: keys, and places in lists. */
export type Path = readonly (string | number)[]

/** As issues name it: `phases[1].steps[0].params.count`. */
export const written = (path: Path): string => writtenPath(path)

/** The id of the field, or of the part, that is at a path: what an issue leads to. */
export const fieldId = (path: Path): string => `draft.${written(path)}`

export function valueAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, key) => {
    if (Array.isArray(value)) return typeof key === 'number' ? value[key] : undefined
    return isObject(value) && Object.hasOwn(value, key) ? value[String(key)] : undefined
  }, root)
}

/** The same with another value at the path, which is made where it is not there; undefined takes the key away. */
export function withValueAt<Root>(root: Root, path: Path, value: unknown): Root {
  return changed(root, path, value) as Root
}

function changed(old: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value
  if (typeof key === 'number') {
    const list = Array.isArray(old) ? [...old] : []
    list[key] = changed(list[key], rest, value)
    return list
  }
  const made: JsonObject = isObject(old) ? { ...old } : {}
  if (isObject(old)) carryKey(old, made)
  const inner = changed(made[key], rest, value)
  if (inner === undefined) delete made[key]
  else made[key] = inner
  return made
}
