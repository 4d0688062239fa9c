import {
  type GraphQLArgument,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import { schema } from '../../src/graphql/schema.ts'
import { type Chance, hostileNumber, hostileText, hostileValue } from './hostile.ts'

/** Ids of things that are there, so that documents reach more than nothing. */
export type Known = readonly string[]

/** A document that the schema allows, or nearly: any fields, arguments of the right types but with any values. */
export function randomDocument(chance: Chance, known: Known): string {
  const root = chance.maybe(0.3) ? schema.getMutationType() : schema.getQueryType()
  if (root == null) throw new Error('The schema has no roots.')
  const keyword = root === schema.getMutationType() ? 'mutation' : 'query'
  return `${keyword} { ${fieldsOf(root, { chance, known, depth: 0 })} }`
}

/** A document with a few of its characters or words changed: hardly ever one that is allowed. */
export function brokenDocument(chance: Chance, document: string): string {
  const words = document.split(/(\W)/)
  for (let change = 0; change <= chance.below(4); change += 1) {
    const at = chance.below(words.length)
    const change = chance.below(5)
    if (change === 0) words.splice(at, 1)
    else if (change === 1) words.splice(at, 0, hostileText(chance))
    else if (change === 2)
      words.splice(at, 0, chance.pick(['{', '}', '(', ')', '...', '@', '$x', '"""', '#', ':', '!']))
    else if (change === 3) words.splice(at, 1, chance.pick(words))
    else words.splice(at, 0, chance.pick(['{a'.repeat(2_000), '... on Run '.repeat(50), '@skip(if: true) '.repeat(50)]))
  }
  return words.join('')
}

type Ground = { chance: Chance; known: Known; depth: number }

function fieldsOf(type: GraphQLObjectType, ground: Ground): string {
  const { chance, depth } = ground
  const all = Object.values(type.getFields()).filter((field) => depth < 5 || isLeafType(getNamedType(field.type)))
  const chosen = Array.from({ length: 1 + chance.below(4) }, () => chance.pick(all.length > 0 ? all : [null]))
  return chosen
    .map((field, index) => {
      if (field === null) return '__typename'
      // An alias of its own: the same field may be asked for with other arguments.
      return `f${depth}x${index}: ${field.name}${argumentsOf(field.args, ground)}${selectionOf(field.type, ground)}`
    })
    .join(' ')
}

function selectionOf(output: GraphQLOutputType, ground: Ground): string {
  const type = getNamedType(output)
  const deeper = { ...ground, depth: ground.depth + 1 }
  if (isObjectType(type)) return ` { ${fieldsOf(type, deeper)} }`
  if (!isAbstractType(type)) return ''
  const parts = schema
    .getPossibleTypes(type)
    .filter(() => ground.chance.maybe(0.5))
    .map(
      (possible, index) =>
        `... on ${possible.name} { a${index}: __typename ${renamed(fieldsOf(possible, deeper), index)} }`,
    )
  return ` { __typename ${parts.join(' ')} }`
}

/** Fields of different types of a union must not share an alias. */
const renamed = (fields: string, index: number) => fields.replaceAll(/\bf(\d+)x/g, `f$1y${index}x`)

function argumentsOf(args: readonly GraphQLArgument[], ground: Ground): string {
  const given = args.filter((arg) => isNonNullType(arg.type) || ground.chance.maybe(0.4))
  if (given.length === 0) return ''
  return `(${given.map((arg) => `${arg.name}: ${literalOf(arg.type, ground)}`).join(', ')})`
}

function literalOf(type: GraphQLInputType, ground: Ground): string {
  const { chance, known, depth } = ground
  if (isNonNullType(type)) return literalOf(type.ofType, ground)
  if (chance.maybe(0.05)) return 'null'
  const deeper = { ...ground, depth: depth + 1 }
  if (isListType(type))
    return `[${Array.from({ length: chance.below(3) }, () => literalOf(type.ofType, deeper)).join(', ')}]`
  if (isEnumType(type)) return chance.pick(type.getValues()).name
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields())
    const given = type.isOneOf
      ? [chance.pick(fields)]
      : fields.filter((field) => isNonNullType(field.type) || (depth < 6 && chance.maybe(0.4)))
    return `{${given.map((field) => `${field.name}: ${literalOf(field.type, deeper)}`).join(', ')}}`
  }
  switch (type.name) {
    case 'Int':
      return String(Math.trunc(hostileNumber(chance)) || 0)
    case 'Float':
      return String(hostileNumber(chance))
    case 'Boolean':
      return String(chance.maybe(0.5))
    case 'ID':
      return JSON.stringify(chance.maybe(0.8) && known.length > 0 ? chance.pick(known) : hostileText(chance))
    case 'JSONObject':
      return chance.maybe(0.5) ? '{a: [1, "b", {c: null}]}' : '{}'
    case 'DateTime':
      return JSON.stringify(chance.maybe(0.7) ? '2026-10-25T20:00:00Z' : hostileText(chance))
    default:
      return chance.maybe(0.95) ? JSON.stringify(hostileText(chance)) : JSON.stringify(hostileValue(chance, 4))
  }
}
