import type { Content } from '../definitions/content.ts'
import { isObject } from '../definitions/json.ts'
import { isSameDraft } from './draft-changes.ts'

/** What was written and is not on the server yet, by whom, and what it was written over. */
export type Backup = {
  by: string
  updatedAt: string
  content: Content
  base: Content
  /** A text that cannot be read yet, so that it is nowhere else; it was written over `content`. */
  text: string | null
}

/** A backup as it lies in this browser. */
export type Kept = Backup & { key: string; json: string }

/** What of the browser's storage is needed. */
export type Shelf = {
  readonly length: number
  key(index: number): string | null
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

/**
 * The backups of one draft in this browser. Each page has one of its own, so that no other page writes over it; one that
 * is forgotten by another page is so only as that page read it.
 */
export class Backups {
  readonly #shelf: Shelf
  readonly #prefix: string
  readonly #own: string
  /** What its own page goes on from, until it has one itself. */
  #from: Kept | null = null

  constructor(shelf: Shelf, definitionId: string) {
    this.#shelf = shelf
    this.#prefix = `cuelight.draft.${definitionId}.`
    this.#own = this.#prefix + crypto.getRandomValues(new Uint32Array(2)).join('')
  }

  /** Those that say something else than the draft on the server; what it has is forgotten. */
  missingIn(draft: Content): Kept[] {
    const all = this.#all()
    const missing = all.filter(({ text, content }) => text !== null || !isSameDraft(content, draft))
    for (const kept of all) if (!missing.includes(kept)) this.forget(kept)
    return missing
  }

  goOnFrom(kept: Kept): void {
    this.#from = kept
  }

  /** Keeps it as this page's, should the page be closed. Answers whether it did: there may be no room. */
  keep(backup: Backup): boolean {
    try {
      this.#shelf.setItem(this.#own, JSON.stringify(backup))
    } catch {
      return false
    }
    this.#leave()
    return true
  }

  /** All of this page is on the server, or was given up. */
  forgetOwn(): void {
    this.#shelf.removeItem(this.#own)
    this.#leave()
  }

  /** Unless a page has written there since. */
  forget({ key, json }: Kept): void {
    if (this.#shelf.getItem(key) === json) this.#shelf.removeItem(key)
  }

  #all(): Kept[] {
    return Array.from({ length: this.#shelf.length }, (_, index) => this.#shelf.key(index) ?? '')
      .filter((key) => key.startsWith(this.#prefix))
      .map((key) => ({ key, json: this.#shelf.getItem(key) ?? '' }))
      .flatMap(({ key, json }) => {
        const backup = backupOf(json)
        return backup === null ? [] : [{ ...backup, key, json }]
      })
  }

  #leave(): void {
    if (this.#from !== null) this.forget(this.#from)
    this.#from = null
  }
}

function backupOf(json: string): Backup | null {
  try {
    const read: unknown = JSON.parse(json)
    return isBackup(read) ? read : null
  } catch {
    return null
  }
}

const isBackup = (read: unknown): read is Backup =>
  isObject(read) &&
  typeof read.by === 'string' &&
  typeof read.updatedAt === 'string' &&
  (read.text === null || typeof read.text === 'string') &&
  isContent(read.content) &&
  isContent(read.base)

const isContent = (read: unknown): boolean =>
  isObject(read) && Array.isArray(read.parameters) && Array.isArray(read.phases)
