import { GraphQLObjectType } from 'graphql'
import { onTestFinished } from 'vitest'
import { schema } from '../../src/graphql/schema.ts'

/** How often events of a type, of run logs where none is named, were executed with this field, until the test is over. */
export function countExecutions(name = 'RunLogBatch', fieldName = 'cursor'): { events: number } {
  const type = schema.getType(name)
  if (!(type instanceof GraphQLObjectType)) throw new Error(`There is no ${name}.`)
  const field = type.getFields()[fieldName]
  if (field?.resolve === undefined) throw new Error(`There is no ${fieldName}.`)
  const { resolve } = field
  const counted = { events: 0 }
  field.resolve = (...args) => {
    counted.events += 1
    return resolve(...args)
  }
  onTestFinished(() => {
    field.resolve = resolve
  })
  return counted
}
