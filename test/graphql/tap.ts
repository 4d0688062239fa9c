import type { Outlet } from '../../src/graphql/subscriptions/outlet.ts'

/** An outlet that is full when the test says so. */
export class Tap implements Outlet {
  readonly #onPayload: (payload: unknown) => void
  isGone = false
  /** Bytes that were sent while it was full: what a slow reader costs. */
  overfull = 0
  #isFull = false
  #opened: (() => void)[] = []
  #last: Promise<unknown> = Promise.resolve()

  constructor(onPayload: (payload: unknown) => void) {
    this.#onPayload = onPayload
  }

  get isFull(): boolean {
    return this.#isFull
  }

  set isFull(value: boolean) {
    this.#isFull = value
    if (!value) for (const open of this.#opened.splice(0)) open()
  }

  send(end: Buffer): void {
    if (this.#isFull) this.overfull += end.length
    this.#onPayload(JSON.parse(`{"payload":${String(end)}`).payload)
  }

  whenRoom(task: () => Promise<void>): Promise<boolean> {
    const done = this.#last.then(async () => {
      while (this.#isFull && !this.isGone) await new Promise<void>((resolve) => this.#opened.push(resolve))
      if (this.isGone) return false
      await task()
      return true
    })
    this.#last = done.catch(() => {})
    return done
  }

  end(): void {
    this.isGone = true
    for (const open of this.#opened.splice(0)) open()
  }
}
