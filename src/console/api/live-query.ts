import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { AnyVariables } from '@urql/core'
import { useEffect, useMemo, useRef } from 'react'
import { useConnection } from './connection-context.ts'
import { type Read, Reader } from './reader.ts'
import { useSignal } from './signal.ts'

/** From subscribing until the server surely tells of changes. */
const SETTLE_MS = 1_000

export type Live<Data> = Read<Data> & {
  /** Reads it again. */
  refresh(): void
}

/** A subscription whose events say that something has changed. */
export type Changes<Event, EventVariables extends AnyVariables> = {
  document: TypedDocumentNode<Event, EventVariables>
  variables: EventVariables
  /** Whether an event is about what the query asks for; all are where it is omitted. */
  concerns?: (event: Event) => boolean
}

/**
 * A query that stays true: it is read again whenever the subscription has an event and when a lost connection is back.
 * Events are hints alone, so that none that is missed or comes twice can leave something wrong behind. `changes` is null
 * where nothing tells of them, or it is not known yet what does.
 */
export function useLive<
  Data,
  Variables extends AnyVariables,
  Event = never,
  EventVariables extends AnyVariables = never,
>(
  request: { query: TypedDocumentNode<Data, Variables>; variables: Variables },
  changes: Changes<Event, EventVariables> | null,
): Live<Data> {
  const connection = useConnection()
  const { query } = request
  const asked = JSON.stringify(request.variables)
  const reader = useMemo(
    () => new Reader(connection.client, { query, variables: JSON.parse(asked) as Variables }),
    [connection, query, asked],
  )
  useEffect(() => {
    reader.refresh()
    const stopOpen = connection.onOpen((isAgain) => (isAgain ? reader.restart() : reader.refresh()))
    const stopNoting = reader.state.subscribe(() => connection.stale.note(reader, reader.state.value))
    return () => {
      stopOpen()
      stopNoting()
      connection.stale.note(reader, null)
      reader.stop()
    }
  }, [connection, reader])

  const followed = JSON.stringify(changes?.variables)
  const document = changes?.document
  const concerns = useRef(changes?.concerns)
  useEffect(() => {
    concerns.current = changes?.concerns
  })
  useEffect(() => {
    if (document === undefined) return
    const events = connection.client
      .subscription(document, JSON.parse(followed) as EventVariables)
      .subscribe(({ data }) => {
        if (data !== undefined && (concerns.current?.(data) ?? true)) reader.refresh()
      })
    // Nothing says when the server begins to tell: what changed after the reading and before that is read once more.
    let settling = setTimeout(reader.refresh, SETTLE_MS)
    const stopOpen = connection.onOpen(() => {
      clearTimeout(settling)
      settling = setTimeout(reader.refresh, SETTLE_MS)
    })
    return () => {
      clearTimeout(settling)
      stopOpen()
      events.unsubscribe()
    }
  }, [connection, document, followed, reader])

  return { ...useSignal(reader.state), refresh: reader.refresh }
}
