import { createContext, use } from 'react'
import type { Connection } from './connection.ts'

export const ConnectionContext = createContext<Connection | null>(null)

/** The way to the server of who is signed in. */
export function useConnection(): Connection {
  const connection = use(ConnectionContext)
  if (connection === null) throw new Error('There is no connection outside of a session.')
  return connection
}
