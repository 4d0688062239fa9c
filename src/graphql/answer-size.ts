import { defaultFieldResolver, GraphQLError, type GraphQLSchema, getNamedType, isLeafType, isObjectType } from 'graphql'
import type { GraphqlContext } from './context.ts'

/** Most characters that the values of one answer may come to; each value counts as VALUE besides, for the work it is. */
export const MAX_ANSWER = 32 * 1024 * 1024
const VALUE = 32

/** What each operation has come to. The limits on fields and rows cannot know how large a draft or a text is. */
const spent = new WeakMap<GraphqlContext, number>()

const tooLarge = () =>
  new GraphQLError(
    `The answer would be larger than ${MAX_ANSWER} characters; ask for less at a time. If it was a mutation, it was done.`,
    { extensions: { code: 'TOO_COMPLEX' } },
  )

/** Begins to count what an operation answers. A subscription's events are not counted: none of them may be lost. */
export function beginAnswer(context: GraphqlContext): void {
  spent.set(context, 0)
}

/** Adds to what an operation comes to. Throws TOO_COMPLEX where that is too much. */
export function charge(context: GraphqlContext, characters: number): void {
  const before = spent.get(context)
  if (before === undefined) return
  const total = before + characters
  spent.set(context, total)
  if (total > MAX_ANSWER) throw tooLarge()
}

/** The one error of an operation whose answer was too large, in place of one for each value that did not fit; else null. */
export function answerRefusal(context: GraphqlContext): GraphQLError | null {
  return (spent.get(context) ?? 0) > MAX_ANSWER ? tooLarge() : null
}

/** About as many characters as a value has as JSON. */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null || value instanceof Date) return 8
  let size = 0
  for (const [key, item] of Object.entries(value)) size += key.length + sizeOf(item)
  return size
}

/** Has every value that the schema's fields answer counted. */
export function countValues(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue
    for (const field of Object.values(type.getFields())) {
      if (!isLeafType(getNamedType(field.type))) continue
      const resolve = field.resolve ?? defaultFieldResolver
      field.resolve = (source, args, context: GraphqlContext, info) => {
        const value: unknown = resolve(source, args, context, info)
        return value instanceof Promise ? value.then((late) => counted(context, late)) : counted(context, value)
      }
    }
  }
  return schema
}

function counted<T>(context: GraphqlContext, value: T): T {
  charge(context, VALUE + sizeOf(value))
  return value
}
