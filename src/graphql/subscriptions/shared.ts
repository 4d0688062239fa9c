import { type DocumentNode, type ExecutionResult, Kind, print, visit } from 'graphql'
import type { Role } from '../../domain/access.ts'
import type { Board } from './board.ts'
import { BoardStream } from './board-stream.ts'
import { LogStream, shownLog } from './log-stream.ts'
import type { Outlet } from './outlet.ts'
import type { Log } from './replayable.ts'

/** What makes two subscriptions the same, but for where in a log they begin. */
export type Sameness = {
  document: DocumentNode
  operationName?: string | null | undefined
  variables: { readonly [name: string]: unknown }
  role: Role | null
}

/** What a subscription brings along: `execute` shows an event to anybody who asks the same, `outlet` takes its events. */
export type Joining<Event> = {
  sameness: Sameness
  execute: (event: Event) => Promise<ExecutionResult>
  outlet: Outlet
}

/**
 * Subscriptions of which all that ask the same with the same role have one source, one execution and one serialisation
 * of each event between them. The iterator of each brings nothing; it ends with the source, or throws what ends the
 * subscription, and `return` takes the reader away.
 */
export class SharedSubscriptions {
  readonly #logs = new Streams<LogStream>()
  readonly #boards = new Streams<{ add(outlet: Outlet): AsyncIterableIterator<never> }>()

  /** Adds a reader of a log: first come the events behind its own cursor, then the live ones. */
  join<Event>(log: Log<Event>, { sameness, execute, outlet }: Joining<Event>): AsyncIterableIterator<never> {
    const key = keyOf(sameness, log.cursorVariable)
    return this.#logs.of(key, (onOver) => new LogStream(shownLog(log, execute), onOver)).add(log, outlet)
  }

  /** Adds a reader of a board: first come the things that are there, then each that changes. */
  joinBoard<Event, Kept>(
    board: Board<Event, Kept>,
    { sameness, execute, outlet }: Joining<Event>,
  ): AsyncIterableIterator<never> {
    return this.#boards.of(keyOf(sameness, null), (onOver) => new BoardStream(board, { execute, onOver })).add(outlet)
  }
}

/** The streams that have readers, by what these ask for. */
class Streams<Stream> {
  readonly #open = new Map<string, Stream>()

  of(key: string, begin: (onOver: () => void) => Stream): Stream {
    const begun = this.#open.get(key)
    if (begun !== undefined) return begun
    const stream = begin(() => {
      if (this.#open.get(key) === stream) this.#open.delete(key)
    })
    this.#open.set(key, stream)
    return stream
  }
}

/** The variable with the cursor is left out, unless the document uses it for anything else. */
function keyOf({ document, operationName, variables, role }: Sameness, cursorVariable: string | null): string {
  const isCursor = (name: string) => name === cursorVariable && countOf(name, document) === 2
  const others = Object.entries(variables).filter(([name]) => !isCursor(name))
  others.sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([document.loc?.source.body ?? print(document), operationName ?? null, others, role])
}

/** How often a variable stands in a document, its definition counted. */
function countOf(name: string, document: DocumentNode): number {
  let count = 0
  visit(document, {
    [Kind.VARIABLE](node) {
      if (node.name.value === name) count += 1
    },
  })
  return count
}
