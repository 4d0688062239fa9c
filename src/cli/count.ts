import { InvalidArgumentError } from 'commander'

/** Reads the whole number of an option, from `least` to `most`. */
export function countFrom(least: number, most = Number.MAX_SAFE_INTEGER): (given: string) => number {
  return (given) => {
    const count = Number(given)
    if (/^\d{1,16}$/.test(given) && count >= least && count <= most) return count
    const range = most === Number.MAX_SAFE_INTEGER ? `${least} or more` : `from ${least} to ${most}`
    throw new InvalidArgumentError(`It may be a whole number, ${range}.`)
  }
}
