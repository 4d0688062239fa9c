/** How hard the tests that draw at random try: a little in the suite, always alike; long, and anew each time, on demand. */
const long = process.env.FUZZ === 'long'

const seed = Number(process.env.FUZZ_SEED ?? (long ? Date.now() % 1_000_000_000 : 20_260_306))
const count = (name: string, suite: number, thorough: number) => Number(process.env[name] ?? (long ? thorough : suite))

export const CRASH = { seed, kills: count('FUZZ_KILLS', 8, 200) }
export const OUTAGE = { seed, seconds: count('FUZZ_OUTAGE_SECONDS', 8, 30) }
export const FUZZ = {
  seed,
  histories: count('FUZZ_HISTORIES', 40, 2_000),
  inputs: count('FUZZ_INPUTS', 150, 20_000),
  documents: count('FUZZ_DOCUMENTS', 150, 20_000),
}
