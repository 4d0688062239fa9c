/** A question that was not answered for so long is taken for lost with its connection. */
const LOST_MS = 30_000

/**
 * What those who watch want to know of the database. It is asked once at a time, however many want to know, and an
 * answer serves for `keep` times as long as it took: at 100, asking never takes more than a hundredth of the time.
 */
export class Question<T> {
  readonly #keep: number
  #asked: { answer: Promise<T>; until: number } | null = null

  constructor({ keep }: { keep: number }) {
    this.#keep = keep
  }

  answer(ask: () => Promise<T>): Promise<T> {
    const at = performance.now()
    if (this.#asked !== null && at < this.#asked.until) return this.#asked.answer
    const asked = { answer: ask(), until: at + LOST_MS }
    this.#asked = asked
    asked.answer.then(
      () => {
        const answeredAt = performance.now()
        asked.until = answeredAt + (answeredAt - at) * this.#keep
      },
      () => {
        asked.until = at
      },
    )
    return asked.answer
  }
}
