import { expect, test } from 'vitest'
import { readiness } from '../../src/server/health.ts'

test('ready when every check holds, with the warnings beside it', async () => {
  expect(await readiness([{ name: 'database', run: () => null }], { warnings: ['a module did not load.'] })).toEqual({
    ready: true,
    reasons: [],
    warnings: ['a module did not load.'],
  })
})

test('every check that does not hold is a reason; one that throws or hangs is one too and tells no detail', async () => {
  const { ready, reasons } = await readiness(
    [
      { name: 'database', run: () => 'The database does not answer.' },
      { name: 'migrations', run: () => Promise.reject(new Error('password of db')) },
      { name: 'runner', run: () => new Promise<null>(() => {}) },
      { name: 'fine', run: async () => null },
    ],
    { timeoutMs: 1 },
  )
  expect(ready).toBe(false)
  expect(reasons).toEqual([
    'The database does not answer.',
    "migrations: the check failed; see the server's log.",
    'runner: no answer within 1 ms.',
  ])
})

test('what does not hold only because another check does not is no reason of its own', async () => {
  const runner = { name: 'runner', run: () => 'The runner could not claim due runs.', needs: 'database' }
  const away = { name: 'database', run: () => 'The database cannot be reached.' }
  const there = { name: 'database', run: () => null }
  expect((await readiness([away, runner])).reasons).toEqual(['The database cannot be reached.'])
  expect((await readiness([there, runner])).reasons).toEqual(['The runner could not claim due runs.'])
})
