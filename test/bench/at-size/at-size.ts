import { migrate } from '../../../src/store/migrate.ts'
import type { Middle } from '../middle.ts'
import { measureDashboard } from './dashboard.ts'
import { measurePass, measureRetention, type Retention } from './duties.ts'
import { measureEndpoints } from './endpoints.ts'
import { type Filled, FULL, fill, type Size } from './fill.ts'
import { drain, type Growth, measureGrowth } from './growth.ts'
import type { Figures } from './watch.ts'

export type AtSize = {
  filled: { seconds: number; runs: number; steps: number; lines: number }
  dashboard: Record<string, Figures>
  endpoints: Record<string, Figures>
  runner: Record<string, Figures>
  retention: Middle<Retention>
  /** Steps per second by how many runs wait. */
  growth: Growth[]
  /** Steps per second in the filled database. */
  inFilled: number
}

const WAITING = [10, 1000, 100_000]
const ROUNDS = 5

type OnFresh = <T>(measure: (url: string) => Promise<T>) => Promise<T>

/** Fills a database and measures on it; `onFresh` gives an empty one. */
export async function measureAtSize(onFresh: OnFresh, runs = FULL.runs): Promise<AtSize> {
  const growth = await measureGrowth(onFresh, { sizes: WAITING, rounds: ROUNDS, runs: Math.min(2000, runs / 10) })
  return onFresh(async (url) => {
    await migrate(url)
    const size: Size = { runs, longLog: Math.min(FULL.longLog, runs) }
    const filled = await fill(url, size, (text) => console.log(`filled: ${text}`))
    const { seconds, steps, lines } = filled
    console.log(`${filled.runs} runs, ${steps} steps and ${lines} log lines in ${seconds} s`)
    const measured = await measureFilled(url, filled)
    return { filled: { seconds, runs: filled.runs, steps, lines }, growth, ...measured }
  })
}

/** What is measured in a database that is filled. It is not the same afterwards. */
export async function measureFilled(
  url: string,
  filled: Filled,
): Promise<Pick<AtSize, 'dashboard' | 'endpoints' | 'runner' | 'retention' | 'inFilled'>> {
  const { runs } = filled.size
  const dashboard = await measureDashboard(url, filled)
  const endpoints = await measureEndpoints(url, filled)
  const runner = await measurePass(url, filled)
  const retention = await measureRetention(url, Math.min(5000, runs / 200))
  const inFilled = Math.round(await drain(url, { runs: Math.min(2000, runs / 10), steps: 5 }))
  return { dashboard, endpoints, runner, retention, inFilled }
}
