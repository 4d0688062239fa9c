import { expect, test } from 'vitest'
import { Prisma } from '../../src/generated/prisma/client.ts'
import { tableOf } from '../../src/store/table.ts'
import { testDatabase } from '../support/database.ts'

const { db } = await testDatabase()

type Item = {
  text: string | null
  number?: number
  yes: boolean
  at: number | null
  json: unknown
  id?: string
  status?: string
}

const table = tableOf<Item>('t', {
  text: ['text', ({ text }) => text],
  number: ['int', ({ number }) => number],
  yes: ['bool', ({ yes }) => yes],
  at: ['instant', ({ at }) => at],
  json: ['jsonb', ({ json }) => JSON.stringify(json)],
  id: ['uuid', ({ id }) => id],
  status: ['run_status', ({ status }) => status],
})

const read = (items: Item[]) => db.hot.$queryRaw<unknown[]>(Prisma.sql`SELECT * FROM ${table(items)} ORDER BY ord`)

test('what items say arrives as it is, in their order, whatever characters it has', async () => {
  const texts = [
    '',
    'NULL',
    'null',
    '"',
    '\\',
    '\\"',
    '{a,b}',
    "it's",
    ' leading',
    'line\nbreak\ttab',
    'Ünï🎺',
    '$1',
    '?',
  ]
  const items = texts.map((text, index) => ({
    text,
    number: index - 1,
    yes: index % 2 === 0,
    at: Date.UTC(2031, 2, 9, 1, 59, 59, 999) + index,
    json: { [text]: [text, null, 1.5] },
  }))
  expect(await read(items)).toEqual(
    items.map(({ at, ...item }, index) => ({ ...item, at: new Date(at), id: null, status: null, ord: index + 1 })),
  )
})

test('what is null or left out is null, and no item is no row', async () => {
  expect(await read([{ text: null, yes: false, at: null, json: null }])).toEqual([
    { text: null, number: null, yes: false, at: null, json: null, id: null, status: null, ord: 1 },
  ])
  expect(await read([])).toEqual([])
})

test('instants before the epoch and far ahead keep their milliseconds', async () => {
  for (const at of [-1, 0, 1, Date.UTC(1970, 0, 1) - 12_345_678_901, Date.UTC(9999, 11, 31, 23, 59, 59, 999)]) {
    const [row] = await read([{ text: '', yes: true, at, json: 0 }])
    expect(row).toMatchObject({ at: new Date(at) })
  }
})

test('what is no instant is refused before it is sent', () => {
  for (const at of [Number.NaN, Number.POSITIVE_INFINITY, 8.64e15 + 1])
    expect(() => table([{ text: '', yes: true, at, json: 0 }])).toThrow(RangeError)
})

test('what a text of PostgreSQL cannot hold shows as the replacement character', async () => {
  const items = ['a\0b', 'half \ud83c of a pair'].map((text) => ({ text, yes: true, at: null, json: 0 }))
  expect(await read(items)).toMatchObject([{ text: 'a\ufffdb' }, { text: 'half \ufffd of a pair' }])
})

test('a column that only some items have, or none, keeps its rows beside the others', async () => {
  const id = '01990000-0000-7000-8000-000000000001'
  const items = [
    { text: 'a', status: 'RUNNING' },
    { text: null, id },
    { text: 'c', id, status: 'PAUSED' },
  ].map((item) => ({ yes: true, at: null, json: 0, ...item }))
  expect(await read(items)).toMatchObject([
    { ord: 1, text: 'a', id: null, status: 'RUNNING', number: null },
    { ord: 2, text: null, id, status: null, number: null },
    { ord: 3, text: 'c', id, status: 'PAUSED', number: null },
  ])
})
