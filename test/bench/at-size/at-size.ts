import { migrate } from '../../../src/store/migrate.ts'
import { measureDashboard } from './dashboard.ts'
import { measurePass, measureRetention, type Retention } from './duties.ts'
import { FULL, fill, type Size } from './fill.ts'
import { drain } from './growth.ts'
import type { Figures } from './watch.ts'

/** What the dashboard's goal, a 99th percentile of 30 ms, is about. */
export const DASHBOARD = [
  "the console's first page",
  'runs, first page',
  'a run of 200 steps',
  'calendar, a month of a usual definition',
] as const

export type AtSize = {
  filled: { seconds: number; runs: number; steps: number; lines: number }
  dashboard: Record<string, Figures>
  runner: Record<string, Figures>
  retention: Retention
  /** Steps per second by how many runs wait, and in the filled database. */
  growth: { waiting: Record<string, number>; filled: number }
}

const WAITING = [10, 1000, 100_000]
const ROUNDS = 3

type OnFresh = <T>(measure: (url: string) => Promise<T>) => Promise<T>

/** Fills a database and measures on it; `onFresh` gives an empty one. */
export async function measureAtSize(onFresh: OnFresh, runs = FULL.runs): Promise<AtSize> {
  const growth = await measureGrowth(onFresh, Math.min(2000, runs / 10))
  return onFresh(async (url) => {
    await migrate(url)
    const size: Size = { runs, longLog: Math.min(FULL.longLog, runs) }
    const filled = await fill(url, size, (text) => console.log(`filled: ${text}`))
    const { seconds, steps, lines } = filled
    console.log(`${filled.runs} runs, ${steps} steps and ${lines} log lines in ${seconds} s`)
    const dashboard = await measureDashboard(url, filled)
    show(dashboard)
    const runner = await measurePass(url, filled)
    show(runner)
    const retention = await measureRetention(url, Math.min(5000, runs / 10))
    console.log(
      `log lines deleted in a second: ${retention.alone} alone, ${retention.besideWriting} beside a hot path that writes ${retention.writtenMeanwhile} meanwhile and ${retention.writtenAlone} alone (goal: ten times what is written)`,
    )
    const inFilled = await drain(url, { runs: Math.min(2000, runs / 10), steps: 5 })
    console.log(
      `steps/s: ${WAITING.map((waiting) => `${growth[waiting]} with ${waiting} runs waiting`).join(', ')}; ${Math.round(inFilled)} in the filled database (goal: within 10 %)`,
    )
    return {
      filled: { seconds, runs: filled.runs, steps, lines },
      dashboard,
      runner,
      retention,
      growth: { waiting: growth, filled: Math.round(inFilled) },
    }
  })
}

/** The median rate for each number of runs that wait, in rounds, so that what else goes on falls on all alike. */
export async function measureGrowth(onFresh: OnFresh, runs: number): Promise<Record<string, number>> {
  const rates = new Map<number, number[]>(WAITING.map((waiting) => [waiting, []]))
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const waiting of WAITING) {
      const rate = await onFresh(async (url) => {
        await migrate(url)
        return drain(url, { runs, steps: 5, waiting })
      })
      console.log(`${round + 1}/${ROUNDS}  ${waiting} runs waiting: ${Math.round(rate)} steps/s`)
      rates.get(waiting)?.push(rate)
    }
  }
  const middle = (each: number[]) =>
    Math.round([...each].sort((a, b) => a - b)[Math.floor(each.length / 2)] ?? Number.NaN)
  return Object.fromEntries([...rates].map(([waiting, each]) => [waiting, middle(each)]))
}

function show(figures: Record<string, Figures>): void {
  console.log(`\n${''.padEnd(66)}   median      99 %   rows read  scanned`)
  for (const [name, { p50, p99, rowsRead, scanned }] of Object.entries(figures)) {
    const numbers = [p50, p99].map((ms) => `${ms.toFixed(1)} ms`.padStart(9)).join(' ')
    console.log(`${name.padEnd(66)}${numbers} ${String(rowsRead).padStart(11)}  ${scanned.join(', ')}`)
  }
}
