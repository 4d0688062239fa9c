import { Socket } from 'node:net'
import pg from 'pg'
import { connectionOf } from './connection.ts'

/**
 * How long the database may take. A statement longer than `statementMs` is cancelled by the database and changes
 * nothing. A connection on which nothing moved for `silenceMs`, which has to be longer, is given up: a firewall forgot
 * it, its host is gone, or PostgreSQL is frozen.
 */
export type Patience = { statementMs: number; silenceMs: number }

export type Pool = {
  pool: pg.Pool
  /** Breaks all connections and makes no more: whatever is asked, or was, fails at once. */
  abandon(): void
}

/** Connections that none hangs on for ever: what a statement that waits on a dead one gets is an error. */
export function openPool(
  url: string,
  { name, session, max, patience }: { name: string; session: string[]; max: number; patience: Patience },
): Pool {
  const sockets = new Set<Socket>()
  let abandoned = false
  const pool = new pg.Pool({
    ...connectionOf(url, { name, session: [...session, `-c statement_timeout=${patience.statementMs}`] }),
    max,
    stream() {
      const socket = new Socket()
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      if (abandoned) process.nextTick(() => socket.destroy(new Silence()))
      return socket
    },
  })
  pool.on('connect', ({ connection: { stream } }) => {
    // The socket's own: it begins anew with whatever comes or goes. An idle connection leaves the pool sooner.
    if (stream instanceof Socket)
      stream.setTimeout(patience.silenceMs, () => stream.destroy(new Silence(patience.silenceMs)))
  })
  return {
    pool,
    abandon() {
      abandoned = true
      for (const socket of sockets) socket.destroy(new Silence())
    },
  }
}

/** A connection of which nothing was heard for too long, or for as long as there was time. */
export class Silence extends Error {
  constructor(ms?: number) {
    const long = ms === undefined ? '' : ` for ${ms / 1000} s`
    super(`the database said nothing${long}, and the connection was given up`)
  }
}
