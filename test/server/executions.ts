import { GraphQLObjectType } from 'graphql'
import { onTestFinished } from 'vitest'
import { schema } from '../../src/graphql/schema.ts'

/** How often events of run logs were executed, until the test is over. */
export function countExecutions(): { events: number } {
  const type = schema.getType('RunLogBatch')
  if (!(type instanceof GraphQLObjectType)) throw new Error('There is no RunLogBatch.')
  const field = type.getFields().cursor
  if (field?.resolve === undefined) throw new Error('There is no cursor.')
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
