import { createRequire } from 'node:module'
import type pg from 'pg'

/** The server's own, and not the one of the peers beside this file. */
const { Client }: typeof pg = createRequire(new URL('../../src/store/pool.ts', import.meta.url))('pg')

/**
 * Tells of each statement that this process sends to a database when it is sent, and what that answered when its answer
 * is there. Answers how to stop.
 */
export function noteStatements(sent: (text: string) => () => void): () => void {
  const { query } = Client.prototype
  const noted = function (this: pg.Client, ...args: unknown[]) {
    const [asked] = args as [string | { text: string }]
    const answered = sent(typeof asked === 'string' ? asked : asked.text)
    // A pool is told by a callback, others by a promise.
    const told = args.at(-1)
    if (typeof told === 'function') {
      args[args.length - 1] = (...what: unknown[]) => {
        answered()
        told(...what)
      }
      return Reflect.apply(query, this, args)
    }
    const answer = Reflect.apply(query, this, args)
    Promise.resolve(answer).then(answered, answered)
    return answer
  }
  Client.prototype.query = noted as typeof query
  return () => {
    Client.prototype.query = query
  }
}
