import { Changes } from '../../src/store/changes.ts'

/** Hints of changes that know who listens. */
export class WatchedChanges extends Changes {
  listeners = 0

  override onRun(...args: Parameters<Changes['onRun']>): () => void {
    return this.#watched(super.onRun(...args))
  }

  override onCues(...args: Parameters<Changes['onCues']>): () => void {
    return this.#watched(super.onCues(...args))
  }

  override onRuns(...args: Parameters<Changes['onRuns']>): () => void {
    return this.#watched(super.onRuns(...args))
  }

  #watched(off: () => void): () => void {
    let isOff = false
    this.listeners += 1
    return () => {
      if (!isOff) this.listeners -= 1
      isOff = true
      off()
    }
  }
}
