import type { Client as SocketClient } from 'graphql-ws'
import type { LogLineFragment } from '../../generated/console/documents.ts'
import { followLog } from '../api/follow-log.ts'
import { Signal } from '../api/signal.ts'

export type LogLine = LogLineFragment

export type LogState = {
  /** All lines so far, in order. The array grows in place: `version` tells when. */
  lines: readonly LogLine[]
  version: number
  /** The kinds that there are, sorted. */
  kinds: readonly string[]
  /** Why the server shows no log; null: it does. */
  refused: string | null
  /** The run has ended, and all of its log is there. */
  isOver: boolean
}

/** A run's log, followed and kept: thousands of lines that come in one frame are told of once. */
export class LogStore {
  readonly #lines: LogLine[] = []
  readonly #kinds = new Set<string>()
  #isTold = true
  readonly state = new Signal<LogState>({ lines: this.#lines, version: 0, kinds: [], refused: null, isOver: false })

  /** Follows it from the last line that there is; again after it has ended, for what is written still later. */
  follow(socket: SocketClient, runId: string): () => void {
    let isFollowed = true
    const stop = followLog(socket, runId, this.#lines.at(-1)?.line ?? 0, {
      onLines: (lines) => {
        for (const line of lines) {
          this.#lines.push(line)
          this.#kinds.add(line.kind)
        }
        this.#tellSoon()
      },
      // Who stops following is told of an end as well, which is not the log's.
      onEnd: () => {
        if (isFollowed) this.state.set({ ...this.state.value, isOver: true })
      },
      onRefused: (refused) => this.state.set({ ...this.state.value, refused }),
    })
    return () => {
      isFollowed = false
      stop()
    }
  }

  #tellSoon(): void {
    if (!this.#isTold) return
    this.#isTold = false
    // A page that is not looked at draws no frames, and is told all the same.
    setTimeout(() => {
      this.#isTold = true
      const { version, kinds } = this.state.value
      this.state.set({
        ...this.state.value,
        lines: this.#lines,
        version: version + 1,
        kinds: kinds.length === this.#kinds.size ? kinds : [...this.#kinds].sort(),
      })
    }, FRAME_MS)
  }
}

const FRAME_MS = 50
