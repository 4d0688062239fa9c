/** What one look at the table found: something to deliver, nothing yet, or nothing any more. */
export type Look<T> = { value: T } | 'WAIT' | 'END'

/** Longest wait between two looks: a change that nobody told of is found after this. */
const POLL_MS = 1_000

/**
 * A source that is pulled: each `next()` looks until there is something to deliver, and between looks waits for a
 * change or the poll. Nothing is read ahead of a slow reader. `return()` ends a wait that is going on, which an async
 * generator parked on an await would not.
 *
 * `onChange` registers a listener and answers how to take it away; it is called before the first look, so that no
 * change between a look and a wait is lost.
 */
export function follow<T>({
  look,
  onChange,
  pollMs = POLL_MS,
}: {
  look: () => Promise<Look<T>>
  onChange: (listener: () => void) => () => void
  pollMs?: number
}): AsyncIterableIterator<T> {
  let changed = false
  let ended = false
  let begun = false
  let wake: (() => void) | null = null
  let last: Promise<unknown> = Promise.resolve()

  const stopListening = onChange(() => {
    changed = true
    wake?.()
  })
  const end = () => {
    ended = true
    stopListening()
    wake?.()
  }
  const wait = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(() => wake?.(), pollMs)
      wake = () => {
        clearTimeout(timer)
        wake = null
        resolve()
      }
    })

  // A reader who has begun stays: the database that is away comes back, and the next look finds what was missed.
  const lookAgain = async (): Promise<Look<T>> => {
    try {
      const found = await look()
      begun = true
      return found
    } catch (error) {
      if (!begun) throw error
      changed = false
      return 'WAIT'
    }
  }

  const advance = async (): Promise<IteratorResult<T, undefined>> => {
    while (!ended) {
      changed = false
      const found = await lookAgain()
      if (ended) break
      if (found === 'END') end()
      else if (found !== 'WAIT') return { done: false, value: found.value }
      else if (!changed) await wait()
    }
    return { done: true, value: undefined }
  }

  return {
    [Symbol.asyncIterator]() {
      return this
    },
    next() {
      // One look at a time, even for a reader that asks again before it was answered. A failed first look is the end.
      const result = last.then(advance).catch((error: unknown) => {
        end()
        throw error
      })
      last = result.catch(() => {})
      return result
    },
    async return() {
      end()
      return { done: true, value: undefined }
    },
    async throw(error) {
      end()
      throw error
    },
  }
}
