import type { ServerResponse } from 'node:http'
import { type Outlet, payloadOf } from '../graphql/subscriptions/outlet.ts'
import { isTooMuch } from './unsent.ts'

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined }
const HEAD = Buffer.from('event: next\ndata: ')
const TAIL = Buffer.from('\n\n')

/** What the streams of all readers send of an event, made once and kept for as long as the event is. */
const frames = new WeakMap<Buffer, Buffer>()

function frameOf(end: Buffer): Buffer {
  const made = frames.get(end)
  if (made !== undefined) return made
  const frame = Buffer.concat([HEAD, payloadOf(end), TAIL])
  frames.set(end, frame)
  return frame
}

/**
 * What one response of server-sent events takes: as much as its peer reads, and at most MAX_UNSENT_BYTES and an event
 * more. Events go into the response beside what the endpoint writes there: its head, which is waited for, comments that
 * keep it alive, and its end.
 */
export class EventStreamOutlet implements Outlet {
  readonly #response: ServerResponse
  /** Events sent since nothing was unsent. */
  #events = 0
  #isOver = false
  #wake: () => void = () => {}
  #last: Promise<unknown> = Promise.resolve()

  constructor(response: ServerResponse) {
    this.#response = response
    const wake = (): void => this.#wake()
    // Its body follows right behind its head, of which nothing else tells.
    for (const change of ['pipe', 'drain', 'close']) response.on(change, wake)
  }

  /**
   * The results of the subscription. They end after the first error, and with the response, also where that was over
   * before they began.
   */
  through<T>(results: AsyncIterableIterator<T>): AsyncIterableIterator<T> {
    let isOver = false
    const end = async (): Promise<IteratorResult<T, undefined>> => {
      isOver = true
      await results.return?.()
      return DONE
    }
    const cut = (): void => void end().catch(() => {})
    if (this.#response.destroyed) cut()
    else this.#response.once('close', cut)
    return {
      [Symbol.asyncIterator]() {
        return this
      },
      async next() {
        if (isOver) return DONE
        try {
          return await results.next()
        } catch (error) {
          isOver = true
          throw error
        }
      },
      return: end,
    }
  }

  /**
   * Not over, nor about to be: who has closed its half of the connection gets what is unsent, and no more. Behind other
   * responses on its connection it has no socket yet.
   */
  get #isOpen(): boolean {
    const { destroyed, writableEnded, socket } = this.#response
    return !this.#isOver && !destroyed && !writableEnded && socket?.writable !== false
  }

  get isFull(): boolean {
    if (!this.#response.headersSent) return true
    const bytes = this.#response.writableLength
    if (bytes === 0) this.#events = 0
    return isTooMuch({ bytes, events: this.#events })
  }

  send(end: Buffer): void {
    if (!this.#isOpen) return
    this.#events += 1
    this.#response.write(frameOf(end))
  }

  whenRoom(task: () => Promise<void>): Promise<boolean> {
    const done = this.#last.then(async () => {
      while (this.#isOpen && this.isFull) await this.#change()
      if (!this.#isOpen) return false
      await task()
      return true
    })
    this.#last = done.catch(() => {})
    return done
  }

  end(): void {
    this.#isOver = true
    this.#wake()
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}
