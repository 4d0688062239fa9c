/** How long a text is given to whoever asks for the same. */
const KEPT_MS = 5_000

type Kept = { text: Promise<string>; madeAt: number | null }

/**
 * Makes texts that cost much, one at a time, and gives each to all who ask for it while it is made and for five seconds
 * after. One that could not be made is made anew for whoever asks next. `now`: in milliseconds.
 */
export function keptTexts(now: () => number): (key: string, make: () => Promise<string>) => Promise<string> {
  const kept = new Map<string, Kept>()
  let last: Promise<unknown> = Promise.resolve()
  return (key, make) => {
    for (const [other, { madeAt }] of kept) if (madeAt !== null && now() - madeAt >= KEPT_MS) kept.delete(other)
    const known = kept.get(key)
    if (known !== undefined) return known.text
    const text = last.then(make)
    const entry: Kept = { text, madeAt: null }
    kept.set(key, entry)
    last = text.then(
      () => {
        entry.madeAt = now()
      },
      () => kept.delete(key),
    )
    return text
  }
}
