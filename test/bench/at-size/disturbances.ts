import { createRequire } from 'node:module'
import { PerformanceObserver, performance } from 'node:perf_hooks'
import type pg from 'pg'

/** The server's own, and not the one of the peers beside this file. */
const { Client }: typeof pg = createRequire(new URL('../../../src/store/pool.ts', import.meta.url))('pg')

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
  const { query } = Client.prototype
  const noted = function (this: pg.Client, ...args: unknown[]) {
    const at = performance.now()
    sent.push(at)
    if (underWay === 0) turns.push({ from: at, to: Number.POSITIVE_INFINITY })
    underWay += 1
    const over = () => {
      underWay -= 1
      const turn = turns.at(-1)
      if (underWay === 0 && turn !== undefined) turn.to = performance.now()
    }
    // A pool is told by a callback, others by a promise.
    const told = args.at(-1)
    if (typeof told === 'function') {
      args[args.length - 1] = (...what: unknown[]) => {
        over()
        told(...what)
      }
      return Reflect.apply(query, this, args)
    }
    const answer = Reflect.apply(query, this, args)
    Promise.resolve(answer).then(over, over)
    return answer
  }
  Client.prototype.query = noted as typeof query

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
      Client.prototype.query = query
    },
  }
}

/** How much of a span others take, of which no two overlap. */
const within = (others: readonly Span[], span: Span): number =>
  others.reduce((sum, { from, to }) => sum + Math.max(0, Math.min(to, span.to) - Math.max(from, span.from)), 0)
