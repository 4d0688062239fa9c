import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { AnyVariables, CombinedError } from '@urql/core'
import { useEffect, useMemo, useRef, useState } from 'react'
import { type UseQueryArgs, useQuery } from 'urql'
import { useConnection } from './connection-context.ts'

/** Changes that come closer together are read at once. */
const REST_MS = 250

export type Live<Data> = {
  /** As it was read last; undefined before that. It stays while reading it again fails. */
  data: Data | undefined
  /** Why it could not be read last; null: it could. */
  error: CombinedError | null
  /** Reads it again now. */
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
 * Events are hints alone, so that none that is missed or comes twice can leave something wrong behind.
 */
export function useLive<Data, Variables extends AnyVariables, Event, EventVariables extends AnyVariables>(
  request: UseQueryArgs<Variables, Data>,
  changes: Changes<Event, EventVariables>,
): Live<Data> {
  const connection = useConnection()
  const [answer, ask] = useQuery<Data, Variables>(request)
  const key = JSON.stringify(changes.variables)
  const { document, concerns } = changes
  const isAbout = useRef(concerns)
  useEffect(() => {
    isAbout.current = concerns
  })
  const refresher = useMemo(() => restful(() => ask({ requestPolicy: 'network-only' })), [ask])

  useEffect(() => {
    const events = connection.client.subscription(document, JSON.parse(key) as EventVariables).subscribe(({ data }) => {
      if (data !== undefined && (isAbout.current?.(data) ?? true)) refresher.refresh()
    })
    const stopOpen = connection.onOpen(() => refresher.refresh())
    return () => {
      events.unsubscribe()
      stopOpen()
      refresher.stop()
    }
  }, [connection, document, key, refresher])

  const [kept, setKept] = useState(answer.data)
  if (answer.data !== undefined && answer.data !== kept) setKept(answer.data)
  return { data: answer.data ?? kept, error: answer.error ?? null, refresh: refresher.refresh }
}

/** At once, and then not before REST_MS are over, but then. */
function restful(act: () => void): { refresh(): void; stop(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isDue = false
  const rest = () => {
    timer = undefined
    if (!isDue) return
    isDue = false
    refresh()
  }
  const refresh = () => {
    if (timer !== undefined) {
      isDue = true
      return
    }
    timer = setTimeout(rest, REST_MS)
    act()
  }
  return {
    refresh,
    stop() {
      clearTimeout(timer)
      timer = undefined
      isDue = false
    },
  }
}
