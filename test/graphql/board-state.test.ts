import { expect, test } from 'vitest'
import { BoardReader } from '../../src/graphql/subscriptions/board-reader.ts'
import { BoardState } from '../../src/graphql/subscriptions/board-state.ts'
import { Tap } from './tap.ts'

const here = (id: string, at: number | null = 0) => ({
  id,
  isThere: true,
  place: at === null ? null : { rank: 0, at },
  kept: null,
})
const gone = (id: string) => ({ ...here(id, null), isThere: false })
const newState = () => new BoardState<null>({ returns: true })
const readerOf = (state: BoardState<null>) =>
  new BoardReader<null>({ version: state.version, outlet: new Tap(() => {}), onGone: () => {} })

/** Has the reader told all that it has to be told; as what and of what, in the order. */
function serve(reader: BoardReader<null>, state: BoardState<null>): string[] {
  const told: string[] = []
  for (let due = reader.due(state); due !== null; due = reader.due(state)) {
    told.push(`${due.as} ${due.entry.id}`)
    reader.tell(due, Buffer.from('{"data":null}}'))
  }
  reader.arrive(state.version)
  return told
}

test('however much happens while a reader stands still, what is held is what it has to be told', () => {
  const state = newState()
  const reader = readerOf(state)
  reader.arrive(0)
  for (const id of ['a', 'b', 'c']) state.apply(here(id))
  for (let times = 0; times < 10_000; times++) state.apply(here(['a', 'b'][times % 2] ?? '', times))
  expect(state.size).toBeLessThan(200)
  expect(reader.remembered).toBe(0)
  expect(serve(reader, state)).toEqual(['NEW c', 'NEW a', 'NEW b'])
  state.trim(state.version)
  expect(state.size).toBe(3)
})

test('what came and went is held no longer than somebody may have to be told', () => {
  const state = newState()
  const reader = readerOf(state)
  reader.arrive(0)
  state.apply(here('known'))
  expect(serve(reader, state)).toEqual(['NEW known'])
  state.trim(state.version)
  for (const id of ['known', ...Array.from({ length: 500 }, (_, index) => `passing ${index}`)]) {
    state.apply(here(id))
    state.apply(gone(id))
  }
  expect(serve(reader, state)).toEqual(['GONE known'])
  expect(reader.remembered).toBe(0)
  state.trim(state.version)
  expect(state.size).toBe(0)
})

test('those that come first come in the order of their places, also where these change while a reader is told of them', () => {
  const state = newState()
  for (const [index, id] of ['c', 'a', 'd', 'b'].entries()) state.apply(here(id, 'adbc'.indexOf(id) * 10 + index))
  const reader = readerOf(state)
  const first = reader.due(state)
  expect(first?.entry.id).toBe('a')
  if (first === null) throw new Error('Nothing is due.')
  reader.tell(first, Buffer.from('{"data":null}}'))
  // Behind where the reader is, and before it: both are changes, which come in turns with the rest.
  state.apply(here('a', 99))
  state.apply(here('b', -1))
  expect(serve(reader, state)).toEqual(['CHANGED a', 'NEW d', 'NEW b', 'NEW c'])
  expect(reader.remembered).toBe(0)
})

test('what is forgotten is held until those who have to be told of it last have been', () => {
  const state = newState()
  state.apply(here('a'))
  const [slow, quick] = [readerOf(state), readerOf(state)]
  for (const reader of [slow, quick]) expect(serve(reader, state)).toEqual(['NEW a'])
  state.apply(here('a', null))
  expect(serve(quick, state)).toEqual(['CHANGED a'])
  const forgotten = state.forget('a')
  state.trim(slow.cursor)
  expect(forgotten?.isForgotten).toBe(true)
  expect(serve(slow, state)).toEqual(['CHANGED a'])
  state.trim(state.version)
  expect(state.size).toBe(0)
  expect(serve(readerOf(state), state)).toEqual([])
})

test('of what was passed over when a reader came it is told that it has gone if it was told of it since, and else not', () => {
  const state = newState()
  for (const id of ['told', 'untold']) state.apply(here(id))
  for (const id of ['told', 'untold']) state.apply(here(id, null))
  const reader = readerOf(state)
  expect(serve(reader, state)).toEqual([])
  state.apply(here('told', null))
  expect(serve(reader, state)).toEqual(['NEW told'])
  for (const id of ['told', 'untold']) state.apply(gone(id))
  expect(serve(reader, state)).toEqual(['GONE told'])
  expect(reader.remembered).toBe(0)
})

test('what had no place for a while has gone for those who were told of it before', () => {
  const state = newState()
  state.apply(here('a'))
  const before = readerOf(state)
  expect(serve(before, state)).toEqual(['NEW a'])
  state.apply(here('a', null))
  const between = readerOf(state)
  expect(serve(between, state)).toEqual([])
  state.apply(here('a'))
  const after = readerOf(state)
  expect(serve(after, state)).toEqual(['NEW a'])
  state.apply(gone('a'))
  expect([before, between, after].map((reader) => serve(reader, state))).toEqual([['GONE a'], [], ['GONE a']])
  expect([before, between, after].map(({ remembered }) => remembered)).toEqual([0, 0, 0])
})

test('what changes all the time does not keep the rest from a reader that came', () => {
  const state = newState()
  const ids = Array.from({ length: 50 }, (_, index) => `thing ${index}`)
  for (const [index, id] of ids.entries()) state.apply(here(id, index))
  const reader = readerOf(state)
  const told = new Set<string>()
  for (let times = 0; times < 120; times++) {
    const hot = 7 + (times % 3)
    state.apply(here(`thing ${hot}`, hot))
    const [ahead] = reader.upcoming(state)
    const due = reader.due(state)
    if (due === null) throw new Error('Nothing is due.')
    expect(ahead).toEqual(due)
    told.add(due.entry.id)
    reader.tell(due, Buffer.from('{"data":null}}'))
  }
  expect(told).toEqual(new Set(ids))
  // Nothing is told again that has not changed since.
  expect(serve(reader, state).length).toBeLessThanOrEqual(3)
})
