import { Changes } from '../../src/store/changes.ts'

/** Hints of changes that know who listens. */
export class WatchedChanges extends Changes {
  readonly #listening = new Set<symbol>()
  get listeners(): number {
    return this.#listening.size
  }

  override onRun(runId: string, listener: () => void): () => void {
    const off = super.onRun(runId, listener)
    const listening = Symbol(runId)
    this.#listening.add(listening)
    return () => {
      this.#listening.delete(listening)
      off()
    }
  }
}
