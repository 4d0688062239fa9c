import { stringifyDocument } from '@urql/core'
import type { Client as SocketClient } from 'graphql-ws'
import {
  FollowLogDocument,
  type FollowLogSubscription,
  type LogLineFragment,
} from '../../generated/console/documents.ts'

type Listener = {
  onLines(lines: LogLineFragment[]): void
  /** The run has ended, and all of its log is delivered. */
  onEnd(): void
  /** The server refuses: there is no such run. */
  onRefused(message: string): void
}

/**
 * Follows the log of a run behind line `after`: each line comes once, in order, over lost connections and servers that
 * start again. The answer ends it.
 *
 * The socket's client sends a subscription again when it has connected anew, with the variables that it was given first;
 * read when they are sent, they say where to go on.
 */
export function followLog(socket: SocketClient, runId: string, after: number, listener: Listener): () => void {
  let cursor = after
  const variables = {
    runId,
    get after() {
      return cursor
    },
  }
  return socket.subscribe<FollowLogSubscription>(
    { query: QUERY, variables },
    {
      next({ data }) {
        if (data == null) return
        cursor = data.runLog.cursor
        listener.onLines(data.runLog.entries)
      },
      error(problem) {
        // A list is the server's answer; anything else is a socket that will not be tried again, which is shown elsewhere.
        if (Array.isArray(problem)) listener.onRefused(problem.map(({ message }) => message).join(' '))
      },
      complete: () => listener.onEnd(),
    },
  )
}

const QUERY = stringifyDocument(FollowLogDocument)
