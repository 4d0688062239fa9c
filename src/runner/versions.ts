import { parseVersionSpec, type VersionSpec } from '../domain/spec.ts'
import type { PrismaClient } from '../store/database.ts'
import { readVersionSpec } from '../store/versions.ts'

/** Versions never change, so that a process reads each once. */
const KEPT = 500

/** The specs of the versions that runs are pinned to. */
export class Versions {
  readonly #db: PrismaClient
  readonly #specs = new Map<string, Promise<VersionSpec | null>>()

  constructor(db: PrismaClient) {
    this.#db = db
  }

  /** The spec of a version; null where it is not there or cannot be read. Throws only what the database throws. */
  spec(versionId: string): Promise<VersionSpec | null> {
    const known = this.#specs.get(versionId)
    if (known !== undefined) return known
    const read = readVersionSpec(this.#db, versionId).then((json) => (json === null ? null : parseVersionSpec(json)))
    read.then(
      (spec) => spec === null && this.#specs.delete(versionId),
      () => this.#specs.delete(versionId),
    )
    const [oldest] = this.#specs.keys()
    if (this.#specs.size >= KEPT && oldest !== undefined) this.#specs.delete(oldest)
    this.#specs.set(versionId, read)
    return read
  }
}
