import { type ExecutionResult, GraphQLError } from 'graphql'
import { MAX_ANSWER, sizeOf } from '../answer-size.ts'
import type { Log } from './replayable.ts'

/** Most bytes of an event as JSON, unless it holds one thing alone; with what a transport puts around it, 256 KiB. */
export const MAX_EVENT_BYTES = 255 * 1024

/** An event as its document shows it. `cursor`: the position to go on from behind it. */
export type Shown = { result: ExecutionResult; text: string; cursor: number }

/**
 * Shows an event of a log: as one result, or where that is too large as several with a part of it each. How large it is
 * nobody knows before: a document may ask for one text under many names. Each part is made when it is asked for. Throws
 * TOO_COMPLEX where even one thing alone is more than an answer may hold.
 */
export async function* shown<Event>(
  event: Event,
  log: Pick<Log<Event>, 'halves' | 'cursorOf'>,
  execute: (event: Event) => Promise<ExecutionResult>,
): AsyncGenerator<Shown, void, undefined> {
  const result = await execute(event)
  const size = sizeOf(result.data)
  const halves = log.halves(event)
  // What is too large by its characters is not made into text first.
  const text = size > (halves === null ? MAX_ANSWER : MAX_EVENT_BYTES) ? null : JSON.stringify(result)
  if (halves === null) {
    if (text === null) throw tooLarge()
    yield { result, text, cursor: log.cursorOf(event) }
  } else if (text !== null && Buffer.byteLength(text) <= MAX_EVENT_BYTES) {
    yield { result, text, cursor: log.cursorOf(event) }
  } else {
    for (const half of halves) yield* shown(half, log, execute)
  }
}

const tooLarge = () =>
  new GraphQLError(
    `One line would be an event of more than ${MAX_ANSWER} characters; ask for the same field under fewer names.`,
    { extensions: { code: 'TOO_COMPLEX' } },
  )
