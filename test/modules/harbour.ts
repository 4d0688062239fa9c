import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

export type Received = { method: string; path: string; headers: IncomingHttpHeaders; body: string; port: number }
type Fault = { status?: number; headers?: Record<string, string>; body?: string; bytes?: number; hang?: boolean }
type Message = { received?: Received; said?: string; ready?: true; listening?: number }

/** The example's harbour as a process, until the test ends. */
export class Harbour {
  readonly #received: Received[] = []
  readonly #said: string[] = []
  readonly url: string
  readonly #child: ChildProcess

  private constructor(child: ChildProcess, port: number) {
    this.#child = child
    this.url = `http://127.0.0.1:${port}`
    child.on('message', ({ received, said }: Message) => {
      if (received !== undefined) this.#received.push(received)
      if (said !== undefined) this.#said.push(said)
    })
  }

  static async open({ secret = SECRET, port = 0 }: { secret?: string; port?: number } = {}): Promise<Harbour> {
    const child = fork(fileURLToPath(new URL('harbour-process.mjs', import.meta.url)), [secret, String(port)])
    onTestFinished(() => void child.kill('SIGKILL'))
    const [{ listening }]: [Message] = (await once(child, 'message')) as [Message]
    return new Harbour(child, listening ?? 0)
  }

  /** What it was sent so far. */
  async received(): Promise<Received[]> {
    await this.#tell({})
    return this.#received
  }

  /** What it said so far. */
  async said(): Promise<string[]> {
    await this.#tell({})
    return this.#said
  }

  /** Answers the next request in another way than a harbour does. */
  next(fault: Fault): Promise<void> {
    return this.#tell({ fault })
  }

  /** Resolves when the next request is there; ask before it is sent. */
  request(): Promise<void> {
    return this.#message(({ received }) => received !== undefined)
  }

  /** Resolves when the harbour says a sentence; ask before it does. */
  says(sentence: string): Promise<void> {
    return this.#message(({ said }) => said === sentence)
  }

  async kill(): Promise<void> {
    const closed = once(this.#child, 'close')
    this.#child.kill('SIGKILL')
    await closed
  }

  /** Resolves when the process has it, and when everything it told before is here: messages keep their order. */
  async #tell(message: { fault?: Fault }): Promise<void> {
    const ready = this.#message(({ ready }) => ready === true)
    this.#child.send(message)
    await ready
  }

  #message(is: (message: Message) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const listen = (message: Message) => {
        if (!is(message)) return
        this.#child.off('message', listen)
        resolve()
      }
      this.#child.on('message', listen)
    })
  }
}
