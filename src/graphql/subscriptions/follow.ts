/** What one look at the table found: something to deliver, nothing yet, perhaps more after a rest, or nothing any more. */
export type Look<T> = { value: T } | 'WAIT' | 'REST' | 'END'

/** Longest wait between two looks: a change that nobody told of is found after this. */
export const POLL_MS = 1_000
/** For a source to which many changes may be told at once, of which its reader wants to know the outcome. */
export const REST_MS = 100

/**
 * A source that is pulled: each `next()` looks until there is something to deliver, and between looks waits for a
 * change or the poll. Nothing is read ahead of a slow reader. `return()` ends a wait that is going on, which an async
 * generator parked on an await would not.
 *
 * `onChange` registers a listener and answers how to take it away; it is called before the first look, so that no
 * change between a look and a wait is lost.
 *
 * Looks that found nothing, or asked for a rest, are followed by others no sooner than `restMs` after it began to look:
 * the first change in a while is found at once, and of many one look finds all.
 *
 * A first look that fails is the end, unless the reader `hasBegun` before. Others are made again after the poll's time
 * for as long as they fail, and `onOutage` is told the error, once until one succeeds.
 */
export function follow<T>({
  look,
  onChange,
  onOutage,
  hasBegun = false,
  pollMs = POLL_MS,
  restMs = 0,
}: {
  look: () => Promise<Look<T>>
  onChange: (listener: () => void) => () => void
  onOutage: (error: unknown) => void
  hasBegun?: boolean
  pollMs?: number
  restMs?: number
}): AsyncIterableIterator<T> {
  let changed = false
  let ended = false
  /** Whether looks work; null before the first. */
  let working: boolean | null = hasBegun ? true : null
  /** A change ends the wait that is going on. */
  let hears = false
  let wake: (() => void) | null = null
  /** When it began to look after it last waited or rested. */
  let beganAt = performance.now()
  let last: Promise<unknown> = Promise.resolve()

  const stopListening = onChange(() => {
    changed = true
    if (hears) wake?.()
  })
  const end = () => {
    ended = true
    stopListening()
    wake?.()
  }
  const wait = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(() => wake?.(), ms)
      wake = () => {
        clearTimeout(timer)
        wake = null
        hears = false
        resolve()
      }
    })
  const waitForChange = async () => {
    hears = true
    await wait(pollMs)
  }
  const rest = async () => {
    const left = beganAt + restMs - performance.now()
    if (left > 0 && !ended) await wait(left)
    beganAt = performance.now()
  }

  // A reader who has begun stays: the database that is away comes back, and the next look finds what was missed.
  const lookAgain = async (): Promise<Look<T> | 'FAILED'> => {
    try {
      const found = await look()
      working = true
      return found
    } catch (error) {
      if (working === null) throw error
      if (working && !ended) onOutage(error)
      working = false
      return 'FAILED'
    }
  }

  const advance = async (): Promise<IteratorResult<T, undefined>> => {
    while (!ended) {
      changed = false
      const found = await lookAgain()
      if (ended) break
      // While looks fail, the poll alone says when: changes that are told of must not make it look all the time.
      if (found === 'FAILED') await wait(pollMs)
      else if (found === 'END') end()
      else if (found !== 'WAIT' && found !== 'REST') return { done: false, value: found.value }
      else {
        if (found === 'WAIT' && !changed) await waitForChange()
        await rest()
      }
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
