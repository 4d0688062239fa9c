import { expect, onTestFinished, test, vi } from 'vitest'
import { Question } from '../../src/server/question.ts'

/** A question that is answered by hand, on a clock that is moved by hand. */
function asking(keep: number) {
  let now = 1000
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  onTestFinished(() => void vi.restoreAllMocks())
  const question = new Question<string>({ keep })
  const asked: PromiseWithResolvers<string>[] = []
  return {
    asked,
    passes(ms: number) {
      now += ms
    },
    ask: () =>
      question.answer(() => {
        const waiting = withResolvers()
        asked.push(waiting)
        return waiting.promise
      }),
  }
}

type PromiseWithResolvers<T> = { promise: Promise<T>; resolve(value: T): void; reject(error: Error): void }

function withResolvers(): PromiseWithResolvers<string> {
  let settle: Omit<PromiseWithResolvers<string>, 'promise'> | undefined
  const promise = new Promise<string>((resolve, reject) => {
    settle = { resolve, reject }
  })
  if (settle === undefined) throw new Error('A promise that begins later.')
  return { promise, ...settle }
}

test('all who want to know while it is asked get that answer; who comes later has it asked again', async () => {
  const { ask, asked } = asking(0)
  const both = [ask(), ask()]
  asked[0]?.resolve('one')
  expect(await Promise.all(both)).toEqual(['one', 'one'])
  const next = ask()
  asked[1]?.resolve('two')
  expect(await next).toBe('two')
})

test('an answer serves for so many times as long as it took', async () => {
  const { ask, asked, passes } = asking(100)
  const first = ask()
  passes(20)
  asked[0]?.resolve('one')
  expect(await first).toBe('one')
  passes(1999)
  expect(await ask()).toBe('one')
  passes(1)
  void ask()
  expect(asked.length).toBe(2)
})

test('a failure serves nobody who comes later, and a question whose answer is lost is asked again', async () => {
  const { ask, asked, passes } = asking(100)
  const failed = ask()
  asked[0]?.reject(new Error('away'))
  await expect(failed).rejects.toThrow('away')
  void ask()
  passes(29_999)
  void ask()
  expect(asked.length).toBe(2)
  passes(1)
  void ask()
  expect(asked.length).toBe(3)
})
