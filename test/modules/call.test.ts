import { getEventListeners } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Clock } from '../../src/domain/clock.ts'
import { callAction, callRevert } from '../../src/modules/call.ts'
import type { ActionContext, Envelope, RevertRequest } from '../../src/modules/module.ts'

/** Moved by hand. */
class HandClock implements Clock {
  #now = 0
  #sleepers: { at: number; wake: () => void }[] = []
  now = () => this.#now
  sleepUntil(at: number, signal: AbortSignal): Promise<void> {
    if (at <= this.#now) return Promise.resolve()
    return new Promise((wake) => {
      signal.addEventListener('abort', () => wake(), { once: true })
      this.#sleepers.push({ at, wake })
    })
  }
  moveTo(now: number) {
    this.#now = now
    for (const { at, wake } of this.#sleepers) if (at <= now) wake()
  }
}

const envelope: Envelope = {
  runId: 'run_1',
  stepId: 'step_1',
  scope: '',
  params: { region: 'Yew', deep: { list: [1] } },
  actor: { kind: 'user', name: 'Mira' },
  idempotencyKey: 'key',
  verify: false,
}

function call(perform: (envelope: Envelope, context: ActionContext) => unknown, budgetMs = 10_000) {
  const clock = new HandClock()
  const stopping = new AbortController()
  const lines: [string, string][] = []
  const outcome = callAction({ budgetMs, perform }, envelope, {
    signal: stopping.signal,
    log: (message, level) => lines.push([message, level]),
    clock,
    censor: (text) => text.replaceAll('hunter2hunter2', '[redacted]'),
  })
  return { clock, stopping, lines, outcome }
}
const asItIs = (text: string) => text
const never = () => new Promise(() => {})

test.each<[string, () => unknown]>([
  ['at once', () => ({ ok: true })],
  ['later', async () => ({ ok: true })],
])('an answer %s is classified', async (_name, perform) => {
  expect(await call(perform).outcome).toMatchObject({ kind: 'done' })
})

test.each<[string, () => unknown]>([
  [
    'a throw',
    () => {
      throw new Error('boom')
    },
  ],
  ['a rejection', () => Promise.reject(new Error('boom'))],
  ['a text that is thrown', () => Promise.reject('boom')],
  [
    'a thenable that throws',
    () =>
      Object.defineProperty({}, 'then', {
        get() {
          throw new Error('boom')
        },
      }),
  ],
])('%s is a transient failure', async (_name, perform) => {
  expect(await call(perform).outcome).toEqual({ kind: 'failed', transient: true, error: 'boom' })
})

test('no answer within the budget is a transient failure, and the signal fires', async () => {
  let heard: AbortSignal | undefined
  const { clock, outcome } = call((_envelope, { signal }) => {
    heard = signal
    return never()
  })
  clock.moveTo(9_999)
  await setImmediate()
  expect(heard?.aborted).toBe(false)
  clock.moveTo(10_000)
  expect(await outcome).toEqual({ kind: 'failed', transient: true, error: 'no answer within 10 s', timedOut: true })
  expect(heard?.aborted).toBe(true)
  expect(heard?.reason).toMatchObject({ name: 'TimeoutError' })
})

test('an answer after the budget goes nowhere, and so does what the action then says', async () => {
  let fail: (error: Error) => void = () => {}
  let say: ActionContext['log'] = () => {}
  const { clock, outcome, lines } = call((_envelope, { log }) => {
    say = log
    return new Promise((_resolve, reject) => {
      fail = reject
    })
  })
  clock.moveTo(10_000)
  expect(await outcome).toMatchObject({ kind: 'failed' })
  fail(new Error('too late'))
  say('too late')
  await setImmediate()
  expect(lines).toEqual([])
})

test('after an answer the signal does not fire any more', async () => {
  let heard: AbortSignal | undefined
  const { clock, outcome, stopping } = call((_envelope, { signal }) => {
    heard = signal
    return { ok: true }
  })
  await outcome
  clock.moveTo(20_000)
  stopping.abort()
  await setImmediate()
  expect(heard?.aborted).toBe(false)
})

test('a stop is passed on, and the answer still counts', async () => {
  const { outcome, stopping } = call(
    (_envelope, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve({ ok: true }))
      }),
  )
  stopping.abort()
  expect(await outcome).toMatchObject({ kind: 'done' })
})

test('a stop before the call is passed on too', async () => {
  const stopping = AbortSignal.abort(new Error('stopping'))
  const perform = (_envelope: Envelope, { signal }: ActionContext) => {
    signal.throwIfAborted()
    return { ok: true }
  }
  const outcome = callAction({ budgetMs: 1, perform }, envelope, {
    signal: stopping,
    log() {},
    clock: new HandClock(),
    censor: asItIs,
  })
  expect(await outcome).toEqual({ kind: 'failed', transient: true, error: 'stopping' })
})

test('nobody listens for an action that does not look at its signal, which is aborted where it looks too late', async () => {
  let look = (): AbortSignal => AbortSignal.abort()
  const { clock, outcome, stopping } = call((_envelope, context) => {
    look = () => context.signal
    return never()
  })
  expect(getEventListeners(stopping.signal, 'abort')).toHaveLength(0)
  clock.moveTo(10_000)
  await outcome
  expect(look().reason).toMatchObject({ name: 'TimeoutError' })
  expect(getEventListeners(stopping.signal, 'abort')).toHaveLength(0)
})

test('no listener stays behind, not even with an action that ignores its signal', async () => {
  const { clock, outcome, stopping } = call((_envelope, { signal: _ }) => never())
  expect(getEventListeners(stopping.signal, 'abort')).toHaveLength(1)
  clock.moveTo(10_000)
  await outcome
  expect(getEventListeners(stopping.signal, 'abort')).toHaveLength(0)
})

test('an action cannot change what it was given', async () => {
  const before = structuredClone(envelope)
  await call((given) => {
    given.params.region = 'Moonglow'
    Object.assign(given.params.deep ?? {}, { list: [] })
    given.actor.name = 'Nobody'
    given.runId = null
    return { ok: true }
  }).outcome
  expect(envelope).toEqual(before)
})

test('what the action says is passed on as text that can be kept', async () => {
  const { outcome, lines } = call((_envelope, { log }) => {
    log('plain')
    log('odd\0', 'warn')
    Reflect.apply(log, null, [new Error('an error'), 'shout'])
    Reflect.apply(log, null, [undefined])
    return { ok: true }
  })
  await outcome
  expect(lines).toEqual([
    ['plain', 'info'],
    ['odd\uFFFD', 'warn'],
    ['an error', 'info'],
    ['(a message without text)', 'info'],
  ])
})

test('what is taken back is given as a copy, which a module may change', async () => {
  const resource = { id: 'resource_1', kind: 'spawn', ref: 'a', payload: { deep: { list: [1] } }, memberKey: null }
  const { params: _, actor: __, verify: ___, ...common } = envelope
  const request: RevertRequest = { ...common, runId: 'run_1', stepId: 'step_1', resource }
  const given: RevertRequest[] = []
  const revert = (asked: RevertRequest) => {
    given.push(structuredClone(asked))
    if (asked.resource.payload !== null) asked.resource.payload.deep = 'changed'
    asked.resource.ref = 'changed'
    return { ok: true }
  }
  const options = { signal: new AbortController().signal, log() {}, clock: new HandClock(), censor: asItIs }
  for (let nth = 0; nth < 2; nth += 1) await callRevert({ budgetMs: 1000, revert }, request, options)
  expect(given).toEqual([request, request])
  expect(resource).toMatchObject({ ref: 'a', payload: { deep: { list: [1] } } })
})

test('whatever an action says or answers is free of secrets, but for what a revert needs as it is', async () => {
  const said = 'it is hunter2hunter2'
  const clean = 'it is [redacted]'
  const resource = { kind: 'spawn', ref: said, payload: { said } }
  const answers = call((_envelope, { log }) => {
    log(said)
    log(new Error(said) as never)
    return {
      ok: true,
      await: 'human',
      instruction: said,
      output: { list: [said, { said }] },
      resources: [resource],
      participants: [{ memberKey: 'ada', meta: { said } }],
    }
  })
  expect(await answers.outcome).toMatchObject({
    instruction: clean,
    output: { list: [clean, { said: clean }] },
    resources: [resource],
    participants: [{ memberKey: 'ada', meta: { said: clean } }],
  })
  expect(answers.lines.map(([line]) => line)).toEqual([clean, clean])
  const failures = [
    () => ({ ok: false, error: said }),
    () => Promise.reject(new Error(said, { cause: new Error(said) })),
    () => said,
    () => ({ ok: true, holdFor: said }),
    () => ({ ok: true, resources: [{ kind: '', ref: said }] }),
  ]
  for (const fail of failures) {
    const outcome = await call(fail).outcome
    expect(outcome).toMatchObject({ kind: 'failed' })
    expect(JSON.stringify(outcome)).not.toContain('hunter2hunter2')
  }
})
