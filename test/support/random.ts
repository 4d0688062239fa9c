/** A seed to print and to replay with `SEED=…`. */
export const newSeed = (): number => Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))

/** Numbers between 0 and 1 that a seed replays. */
export function randomFrom(start: number): () => number {
  let state = start >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}
