import { type Document, isAlias, isMap, isScalar, isSeq, type Node } from 'yaml'
import { isObject } from '../domain/plain-object.ts'

/** Makes a document say `value`, and leaves all of it standing that does already, with its comments and its style. */
export function mergeYaml(document: Document, value: Record<string, unknown>): void {
  document.contents = merged(document, document.contents, value)
}

function merged(document: Document, node: unknown, value: unknown): Node {
  if (isMap(node) && isObject(value)) {
    for (const { key } of [...node.items]) {
      const name = isScalar(key) ? key.value : key
      if (typeof name !== 'string' || !Object.hasOwn(value, name)) node.delete(key)
    }
    for (const [name, part] of Object.entries(value)) node.set(name, merged(document, node.get(name, true), part))
    return node
  }
  if (isSeq(node) && Array.isArray(value)) {
    node.items = value.map((part: unknown, index) => merged(document, node.items[index], part))
    return node
  }
  if (isScalar(node) && !isAlias(node) && !isObject(value) && !Array.isArray(value)) {
    if (node.value !== value) node.value = value
    return node
  }
  return document.createNode(value)
}
