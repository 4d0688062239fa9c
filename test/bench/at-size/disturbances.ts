import { PerformanceObserver, performance } from 'node:perf_hooks'
import { noteStatements } from '../statements.ts'

/** What went on in a span of time. */
export type Disturbed = {
  /** Statements that were sent, and in how many turns: those that were under way together are one. */
  statements: number
  turns: number
  /** For how many milliseconds at least one of them was under way. */
  databaseMs: number
  /** Milliseconds in which the collection of garbage held everything up. */
  collectedMs: number
}

type Span = { from: number; to: number }

/**
 * Notes from now on what this process sends to databases, and when it collects garbage. `of` tells it of a span of
 * `performance.now()`, once all of it has been over for a turn of the event loop; `end` ends it.
 */
export function watchDisturbances(): { of(span: Span): Disturbed; settled(): Promise<void>; end(): void } {
  const collections: Span[] = []
  const observer = new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries())
      collections.push({ from: startTime, to: startTime + duration })
  })
  observer.observe({ entryTypes: ['gc'] })

  const sent: number[] = []
  const turns: Span[] = []
  let underWay = 0
  const stop = noteStatements(() => {
    const at = performance.now()
    sent.push(at)
    if (underWay === 0) turns.push({ from: at, to: Number.POSITIVE_INFINITY })
    underWay += 1
    return () => {
      underWay -= 1
      const turn = turns.at(-1)
      if (underWay === 0 && turn !== undefined) turn.to = performance.now()
    }
  })

  return {
    of(span) {
      return {
        statements: sent.filter((at) => at >= span.from && at < span.to).length,
        turns: turns.filter(({ from }) => from >= span.from && from < span.to).length,
        databaseMs: within(turns, span),
        collectedMs: within(collections, span),
      }
    },
    // Entries are handed over in turns of their own.
    settled: () => new Promise((resolve) => setTimeout(resolve, 50)),
    end() {
      observer.disconnect()
      stop()
    },
  }
}

/** How much of a span others take, of which no two overlap. */
const within = (others: readonly Span[], span: Span): number =>
  others.reduce((sum, { from, to }) => sum + Math.max(0, Math.min(to, span.to) - Math.max(from, span.from)), 0)
