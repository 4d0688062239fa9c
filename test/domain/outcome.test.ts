import { expect, test } from 'vitest'
import { failureOf } from '../../src/domain/failure.ts'
import { classify, LONGEST_HOLD_SECONDS } from '../../src/domain/outcome.ts'

const DONE = { kind: 'done', resources: [], participants: [] }
const hostile = (name: string) =>
  Object.defineProperty({}, name, {
    enumerable: true,
    get() {
      throw new Error('no reading here')
    },
  })
const cyclic = () => {
  const ring: Record<string, unknown> = {}
  ring.ring = ring
  return ring
}

test('ok: true is done', () => {
  expect(classify({ ok: true })).toEqual(DONE)
  expect(classify({ ok: true, something: 'else' })).toEqual(DONE)
  expect(classify(Object.assign(Object.create(null), { ok: true }))).toEqual(DONE)
})

test.each([
  [5, 5],
  ['5', 5],
  [' 1.5 ', 1.5],
  ['1e2', 100],
  [LONGEST_HOLD_SECONDS + 1, LONGEST_HOLD_SECONDS],
  ['1e999', LONGEST_HOLD_SECONDS],
  [Number.POSITIVE_INFINITY, LONGEST_HOLD_SECONDS],
])('holdFor %j holds what follows for %d s', (holdFor, holdSeconds) => {
  expect(classify({ ok: true, holdFor })).toEqual({ ...DONE, holdSeconds })
})

test('holdFor 0 holds nothing', () => {
  expect(classify({ ok: true, holdFor: 0 })).toEqual(DONE)
  expect(classify({ ok: true, holdFor: '-0' })).toEqual(DONE)
})

test.each([-1, '-1', Number.NaN, 'NaN', '', ' ', '5s', '0x10', 'Infinity', null, true, [5], {}, 5n, () => 5])(
  'holdFor %p is a terminal failure that names it',
  (holdFor) => {
    expect(classify({ ok: true, holdFor })).toMatchObject({
      kind: 'failed',
      transient: false,
      error: expect.stringContaining('holdFor must be seconds from 0 to 604800'),
    })
  },
)

test("await: 'human' parks, with the instruction if there is one", () => {
  expect(classify({ ok: true, await: 'human' })).toEqual({ kind: 'parked', resources: [], participants: [] })
  expect(classify({ ok: true, await: 'human', instruction: ' Open the gate\0 ', holdFor: 5 })).toEqual({
    kind: 'parked',
    instruction: 'Open the gate\uFFFD',
    resources: [],
    participants: [],
  })
  expect(classify({ ok: true, await: 'human', instruction: 7 })).not.toHaveProperty('instruction')
})

test('a parked answer keeps the resources it made', () => {
  expect(classify({ ok: true, await: 'human', resources: [{ kind: 'portal', ref: 'p-1' }] })).toMatchObject({
    kind: 'parked',
    resources: [{ kind: 'portal', ref: 'p-1' }],
  })
})

test('ok: false is transient, and terminal only with retry: false', () => {
  expect(classify({ ok: false, error: 'busy' })).toEqual({ kind: 'failed', transient: true, error: 'busy' })
  expect(classify({ ok: false, retry: false, error: 'gone' })).toEqual({
    kind: 'failed',
    transient: false,
    error: 'gone',
  })
  for (const retry of [true, 'false', 0, null, undefined]) {
    expect(classify({ ok: false, retry, error: 'busy' })).toMatchObject({ transient: true })
  }
  expect(classify({ ok: false })).toMatchObject({ transient: true, error: 'it failed without saying why' })
  expect(classify({ ok: false, error: new Error('inner') })).toMatchObject({ error: 'inner' })
})

test('an error of any length is kept whole, with what cannot be stored replaced', () => {
  const long = 'x'.repeat(1_000_000)
  expect(classify({ ok: false, error: long })).toMatchObject({ error: long })
  expect(classify({ ok: false, error: 'a\0b\uD800c' })).toMatchObject({ error: 'a\uFFFDb\uFFFDc' })
})

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['null', null],
  ['a string', 'ok'],
  ['true', true],
  ['a number', 1],
  ['a bigint', 1n],
  ['a symbol', Symbol('ok')],
  ['an array', [{ ok: true }]],
  ['an array with ok', Object.assign([], { ok: true })],
  ['an empty object', {}],
  ['a text for ok', { ok: 'yes' }],
  ['1 for ok', { ok: 1 }],
  ['a Boolean object for ok', { ok: Object(true) }],
  ['a function', Object.assign(() => {}, { ok: true })],
  ['a returned error', Object.assign(new Error('boom'), { ok: true })],
  ['a promise', Promise.resolve({ ok: true })],
  [
    'a thenable',
    Object.fromEntries([
      ['ok', true],
      ['then', () => {}],
    ]),
  ],
  ['an inherited ok', Object.create({ ok: true })],
  ['an HTTP response', new Response('fine')],
  ['a getter that throws', hostile('ok')],
  ['ok with an await that throws', Object.assign(hostile('await'), { ok: true })],
  ['ok with resources that throw', Object.defineProperties(hostile('resources'), { ok: { value: true } })],
  ['an unknown await', { ok: true, await: 'robot' }],
  [
    'a proxy that throws',
    new Proxy(
      {},
      {
        getOwnPropertyDescriptor() {
          throw new Error('no')
        },
      },
    ),
  ],
])('%s is an unusable answer, which is a transient failure', (_name, answer) => {
  expect(classify(answer)).toEqual({
    kind: 'failed',
    transient: true,
    error: expect.stringContaining('the answer was unusable'),
  })
})

test('a revoked proxy is an unusable answer', () => {
  const { proxy, revoke } = Proxy.revocable({ ok: true }, {})
  revoke()
  expect(classify(proxy)).toMatchObject({ kind: 'failed', transient: true })
})

test('resources and participants come back in one form', () => {
  expect(
    classify({
      ok: true,
      resources: [
        { kind: 'spawn', ref: 'sp-1', payload: { count: 3 }, leaseUntil: new Date(0), memberKey: 'ann' },
        { kind: 'spawn', ref: 'sp-2', payload: null, leaseUntil: '1970-01-01T02:00:00+02:00' },
      ],
      participants: [
        { memberKey: 'ann', score: 1 },
        { memberKey: 'bob', userId: 'u', score: null, joinedAt: '1970-01-01T00:00Z', meta: { a: 1 } },
        { memberKey: 'ann', score: 2 },
      ],
    }),
  ).toEqual({
    kind: 'done',
    resources: [
      { kind: 'spawn', ref: 'sp-1', payload: { count: 3 }, leaseUntil: '1970-01-01T00:00:00.000Z', memberKey: 'ann' },
      { kind: 'spawn', ref: 'sp-2', payload: null, leaseUntil: '1970-01-01T00:00:00.000Z', memberKey: null },
    ],
    participants: [
      { memberKey: 'ann', userId: null, score: 2, joinedAt: null, meta: null },
      { memberKey: 'bob', userId: 'u', score: null, joinedAt: '1970-01-01T00:00:00.000Z', meta: { a: 1 } },
    ],
  })
  expect(classify({ ok: true, resources: null, participants: null, output: null })).toEqual(DONE)
})

test.each<[string, unknown]>([
  ['resources must be a list', { resources: 'sp-1' }],
  ['resources must be a list', { resources: { kind: 'a', ref: 'b' } }],
  ['resources must be written as JSON', { resources: [{ kind: 'a', ref: 'b', payload: cyclic() }] }],
  ['resources must be written as JSON', { resources: [{ kind: 'a', ref: 1n }] }],
  ['resources must not hold a function', { resources: () => [] }],
  ['resources must not hold the character U+0000', { resources: [{ kind: 'a', ref: 'b\0' }] }],
  ['resources[0] must be an object', { resources: ['sp-1'] }],
  ['resources[1].ref must be a text', { resources: [{ kind: 'a', ref: 'b' }, { kind: 'a' }] }],
  ['resources[0].kind must be a text', { resources: [{ kind: '', ref: 'b' }] }],
  ['resources[0].kind must not start with "@"', { resources: [{ kind: '@step', ref: 'b' }] }],
  ['resources[0].payload must be an object', { resources: [{ kind: 'a', ref: 'b', payload: 'x' }] }],
  ['resources[0].leaseUntil must be an instant', { resources: [{ kind: 'a', ref: 'b', leaseUntil: '2026-02-01' }] }],
  [
    'resources[0].leaseUntil must be an instant',
    { resources: [{ kind: 'a', ref: 'b', leaseUntil: '2026-99-01T00:00Z' }] },
  ],
  [
    'resources[0].leaseUntil must be an instant',
    { resources: [{ kind: 'a', ref: 'b', leaseUntil: '2026-02-30T00:00Z' }] },
  ],
  [
    'resources[0].leaseUntil must be an instant',
    { resources: [{ kind: 'a', ref: 'b', leaseUntil: '0000-12-31T00:00Z' }] },
  ],
  [
    'resources[0].leaseUntil must be an instant',
    { resources: [{ kind: 'a', ref: 'b', leaseUntil: '0001-01-01T00:00+14:00' }] },
  ],
  [
    'resources[0].leaseUntil must be an instant',
    { resources: [{ kind: 'a', ref: 'b', leaseUntil: '2026-01-31T24:30:00Z' }] },
  ],
  ['participants[0].memberKey must be a text', { participants: [{ score: 5 }] }],
  ['participants[0].memberKey must be at most 190', { participants: [{ memberKey: 'x'.repeat(191) }] }],
  ['participants must not hold a number that is not finite', { participants: [{ memberKey: 'a', score: Number.NaN }] }],
  ['participants[0].score must be a number', { participants: [{ memberKey: 'a', score: '5' }] }],
])('%s: what was made cannot be recorded, a terminal failure', (error, extra) => {
  expect(classify({ ok: true, ...Object(extra) })).toEqual({
    kind: 'failed',
    transient: false,
    error: expect.stringContaining(error),
  })
})

test('output is kept as JSON, and fails nothing where it cannot be', () => {
  const outputOf = (output: unknown) => {
    const outcome = classify({ ok: true, output })
    return outcome.kind === 'done' ? outcome.output : outcome
  }
  expect(outputOf({ at: new Date(0), big: 10n, text: 'a\0', gone: undefined, f() {} })).toEqual({
    at: '1970-01-01T00:00:00.000Z',
    big: '10',
    text: 'a\uFFFD',
  })
  expect(outputOf(cyclic())).toEqual({ unreadable: 'it cannot be written as JSON' })
  expect(outputOf(hostile('x'))).toEqual({ unreadable: 'it cannot be written as JSON' })
  let deep: unknown = 1
  for (let level = 0; level < 40; level++) deep = [deep]
  expect(outputOf(deep)).toEqual({ unreadable: 'it nests deeper than 32 levels' })
  expect(outputOf(() => 1)).toBeUndefined()
})

test.each<[unknown, string]>([
  ['plain', 'plain'],
  [new Error('boom'), 'boom'],
  [new Error('fetch failed', { cause: new Error('refused') }), 'fetch failed (refused)'],
  [new TypeError(''), 'TypeError'],
  [Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
  [{ message: 'from afar' }, 'from afar'],
  [{ code: 7 }, '{"code":7}'],
  [undefined, 'it failed without saying why'],
  [null, 'it failed without saying why'],
  ['', 'it failed without saying why'],
  [42, '42'],
  [7n, '7'],
  [Symbol('s'), 'Symbol(s)'],
  ['nul\0', 'nul\uFFFD'],
  [hostile('message'), 'it failed with an error that cannot be read'],
  [cyclic(), 'it failed with an error that cannot be read'],
])('failureOf reads %p', (thrown, text) => {
  expect(failureOf(thrown)).toBe(text)
})
