import { expect, test } from 'vitest'
import { measureDashboard } from '../bench/at-size/dashboard.ts'
import { fill } from '../bench/at-size/fill.ts'
import { testDatabase } from '../support/database.ts'

const { url } = await testDatabase()
const RUNS = 2_000

test('a database is filled as it is after a year, and all that the dashboard asks of it is answered', async () => {
  const filled = await fill(url, { runs: RUNS, longLog: 1_000 })
  expect(filled.runs).toBe(RUNS + 2)
  expect(filled.lines).toBeGreaterThan(RUNS * 20)
  expect(filled.steps).toBeGreaterThan(RUNS * 4)
  const figures = await measureDashboard(url, filled, { calls: 1 })
  for (const [name, { scanned }] of Object.entries(figures)) {
    expect([name, scanned]).toEqual([name, scanned.filter((table) => table !== 'run_log' && table !== 'steps')])
  }
})
