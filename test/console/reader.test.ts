import { Client, CombinedError, fetchExchange } from '@urql/core'
import { parse } from 'graphql'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Reader } from '../../src/console/api/reader.ts'
import { StaleReadings } from '../../src/console/api/stale-readings.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Past the rest after a reading. */
const REST_MS = 300

/** A reader, and the requests that it makes: each waits until the test answers it. */
function reading() {
  const requests: {
    answer(value: number): Promise<void>
    fail(): Promise<void>
    refuse(code: string): Promise<void>
    aborted: boolean
  }[] = []
  const client = new Client({
    url: 'http://server.test/graphql',
    exchanges: [fetchExchange],
    preferGetMethod: false,
    fetch: (_url, init) =>
      new Promise((resolve, reject) => {
        const request = {
          aborted: false,
          async answer(value: number) {
            const headers = { 'content-type': 'application/json' }
            resolve(new Response(JSON.stringify({ data: { value } }), { headers }))
            await vi.advanceTimersByTimeAsync(0)
          },
          async refuse(code: string) {
            resolve(Response.json({ errors: [{ message: 'No.', extensions: { code } }] }))
            await vi.advanceTimersByTimeAsync(0)
          },
          async fail() {
            reject(new Error('no network'))
            await vi.advanceTimersByTimeAsync(0)
          },
        }
        init?.signal?.addEventListener('abort', () => {
          request.aborted = true
        })
        requests.push(request)
      }),
  })
  const reader = new Reader<{ value: number }, object>(client, { query: parse('{ value }'), variables: {} })
  const next = async () => {
    await vi.advanceTimersByTimeAsync(REST_MS)
    const request = requests.at(-1)
    if (request === undefined) throw new Error('Nothing was asked.')
    return request
  }
  return { reader, requests, next }
}

test('however often it is told to while it reads, it reads once more after that', async () => {
  const { reader, requests, next } = reading()
  for (let round = 0; round < 3; round += 1) {
    const before = requests.length
    reader.refresh()
    const slow = await next()
    await vi.advanceTimersByTimeAsync(10_000)
    for (let times = 0; times < 10; times += 1) reader.refresh()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(requests.length).toBe(before + 1)
    await slow.answer(round)
    expect(reader.state.value).toMatchObject({ data: { value: round }, error: null })
    await (await next()).answer(round + 0.5)
    expect(reader.state.value.data).toEqual({ value: round + 0.5 })
    await vi.advanceTimersByTimeAsync(10_000)
    expect(requests.length).toBe(before + 2)
  }
})

test('many readings after each other each show what was answered', async () => {
  const { reader, requests, next } = reading()
  for (let value = 1; value <= 20; value += 1) {
    reader.refresh()
    await (await next()).answer(value)
    expect(reader.state.value.data).toEqual({ value })
    expect(requests.length).toBe(value)
    await vi.advanceTimersByTimeAsync(REST_MS)
  }
})

test('what cannot be read leaves what is known, says why and since when, and is read again by itself', async () => {
  vi.setSystemTime('2031-03-09T12:00:00Z')
  const { reader, requests, next } = reading()
  reader.refresh()
  await (await next()).answer(1)
  const readAt = Date.now()
  await vi.advanceTimersByTimeAsync(REST_MS)
  reader.refresh()
  await (await next()).fail()
  expect(reader.state.value).toMatchObject({ data: { value: 1 }, error: { message: '[Network] no network' }, readAt })
  await (await next()).answer(2)
  expect(requests.length).toBe(3)
  expect(reader.state.value).toEqual({ data: { value: 2 }, error: null, readAt: Date.now() })
  await vi.advanceTimersByTimeAsync(60_000)
  expect(requests.length).toBe(3)
})

test('what fails again and again is tried ever less often, and no more once it is stopped', async () => {
  const { reader, requests } = reading()
  const startedAt = Date.now()
  const askedAt: number[] = []
  reader.refresh()
  await vi.advanceTimersByTimeAsync(0)
  while (askedAt.length < 8) {
    // What is told of meanwhile does not hurry it.
    reader.refresh()
    askedAt.push(Date.now() - startedAt)
    const before = requests.length
    await requests.at(-1)?.fail()
    expect(reader.state.value.data).toBeUndefined()
    while (askedAt.length < 8 && requests.length === before) await vi.advanceTimersByTimeAsync(50)
  }
  const waits = askedAt.slice(1).map((at, index) => at - (askedAt[index] ?? 0))
  expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 5_000, 5_000])
  reader.stop()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(requests.length).toBe(8)
  // Started again, it begins anew.
  reader.refresh()
  await vi.advanceTimersByTimeAsync(0)
  await requests.at(-1)?.fail()
  await vi.advanceTimersByTimeAsync(250)
  expect(requests.length).toBe(10)
})

test('what is forbidden is asked for once, however often it is told to, and again on another connection', async () => {
  const { reader, requests, next } = reading()
  reader.refresh()
  const first = await next()
  reader.refresh()
  await first.refuse('FORBIDDEN')
  expect(reader.state.value).toMatchObject({ data: undefined, error: { message: '[GraphQL] No.' } })
  for (let times = 0; times < 10; times += 1) {
    await vi.advanceTimersByTimeAsync(60_000)
    reader.refresh()
  }
  expect(requests.length).toBe(1)
  reader.restart()
  await (await next()).answer(1)
  expect(reader.state.value).toMatchObject({ data: { value: 1 }, error: null })
  await vi.advanceTimersByTimeAsync(REST_MS)
  reader.refresh()
  await (await next()).refuse('INTERNAL_SERVER_ERROR')
  await (await next()).answer(2)
  expect(reader.state.value).toMatchObject({ data: { value: 2 }, error: null })
})

test('of all that cannot be read again the oldest is told, until it can or nobody looks at it', () => {
  const stale = new StaleReadings()
  const error = new CombinedError({ networkError: new Error('no network') })
  const [one, other] = [{}, {}]
  stale.note(one, { data: 1, error: null, readAt: 1_000 })
  stale.note(other, { data: undefined, error, readAt: null })
  expect(stale.oldest.value).toBeNull()
  stale.note(other, { data: 2, error, readAt: 3_000 })
  stale.note(one, { data: 1, error, readAt: 2_000 })
  expect(stale.oldest.value).toEqual({ readAt: 2_000, error })
  stale.note(one, { data: 1, error: null, readAt: 4_000 })
  expect(stale.oldest.value).toEqual({ readAt: 3_000, error })
  stale.note(other, null)
  expect(stale.oldest.value).toBeNull()
})

test('a reading that is not answered is given up for another one', async () => {
  const { reader, requests, next } = reading()
  reader.refresh()
  const hanging = await next()
  reader.restart()
  await (await next()).answer(2)
  expect(requests.length).toBe(2)
  expect(hanging.aborted).toBe(true)
  await hanging.answer(1)
  expect(reader.state.value.data).toEqual({ value: 2 })
})

test('one that was stopped reads nothing more, and may be started again', async () => {
  const { reader, requests, next } = reading()
  reader.refresh()
  const first = await next()
  reader.refresh()
  reader.stop()
  await first.answer(1)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(requests.length).toBe(1)
  expect(reader.state.value.data).toBeUndefined()
  reader.refresh()
  await (await next()).answer(2)
  expect(reader.state.value.data).toEqual({ value: 2 })
})
