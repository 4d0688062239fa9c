import { expect, test } from 'vitest'
import { testDatabase } from '../support/database.ts'
import { Client } from './client.ts'

const { db } = await testDatabase()

test('a default of a variable counts as what it is', async () => {
  const nested = '{ definitions(first: $n) { edges { node { runs(first: $n) { edges { node { id } } } } } } }'
  const client = new Client(db)
  expect((await client.error(`query ($n: Int = 500) ${nested}`)).extensions.code).toBe('TOO_COMPLEX')
  await client.query(`query ($n: Int = 10) ${nested}`)
})
