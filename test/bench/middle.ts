/** The middle value; of an even number the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const upper = Math.floor(sorted.length / 2)
  const [low = Number.NaN, high = Number.NaN] = [sorted[sorted.length % 2 === 0 ? upper - 1 : upper], sorted[upper]]
  return (low + high) / 2
}

/** What one measurement of some came to whose `rounds`, of what counts of it, has its own in the middle. */
export type Middle<T> = T & { rounds: number[] }

/** Measures so many times, one after the other; of two the better one is the middle. */
export async function middleOf<T extends object>(
  times: number,
  measure: () => Promise<T>,
  by: (measured: T) => number,
): Promise<Middle<T>> {
  const all: T[] = []
  for (let time = 0; time < times; time += 1) all.push(await measure())
  const middle = [...all].sort((a, b) => by(a) - by(b))[Math.floor((times - 1) / 2)]
  if (middle === undefined) throw new Error('Nothing was measured.')
  return { ...middle, rounds: all.map(by) }
}
