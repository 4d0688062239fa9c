import type { Content } from '../definitions/content.ts'

/** What follows within this, at the same place, is undone together. */
const TOGETHER_MS = 1_500
const MOST_UNDONE = 200

type Step = { before: Content; place: string; at: number }

/** What was done to a draft, to be undone and done again. */
export class Steps {
  #done: Step[] = []
  #undone: Content[] = []

  get canUndo(): boolean {
    return this.#done.length > 0
  }

  get canRedo(): boolean {
    return this.#undone.length > 0
  }

  /** Something was done at a place of the draft, before which it was so. */
  did(before: Content, place: string): void {
    const at = Date.now()
    const last = this.#done.at(-1)
    if (last !== undefined && place !== '' && last.place === place && at - last.at <= TOGETHER_MS) last.at = at
    else this.#done = [...this.#done.slice(1 - MOST_UNDONE), { before, place, at }]
    this.#undone = []
  }

  /** The draft as it was before what was done last; null: nothing was. */
  undo(now: Content): Content | null {
    const last = this.#done.pop()
    if (last === undefined) return null
    this.#undone.push(now)
    return last.before
  }

  /** The draft as it was before what was undone last; null: nothing was. */
  redo(now: Content): Content | null {
    const next = this.#undone.pop()
    if (next === undefined) return null
    this.#done.push({ before: now, place: '', at: 0 })
    return next
  }

  /**
   * Somebody else's change is in the draft now, which going back over it would revert. What may be gone back to, if
   * anything, has that change too, or was asked for.
   */
  restart(before: Content | null): void {
    this.#done = before === null ? [] : [{ before, place: '', at: 0 }]
    this.#undone = []
  }
}
