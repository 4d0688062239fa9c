import { twoDigits } from './two-digits.ts'

/** An instant as a field of type datetime-local shows it: the clock of this device. */
export function toLocalField(instant: string): string {
  const at = new Date(instant)
  const day = `${at.getFullYear()}-${twoDigits(at.getMonth() + 1)}-${twoDigits(at.getDate())}`
  return `${day}T${twoDigits(at.getHours())}:${twoDigits(at.getMinutes())}:${twoDigits(at.getSeconds())}`
}

/**
 * The instant that such a field names; null where it names none. Where it was filled with an instant and still shows
 * that, it is that one: a clock that goes back shows two instants alike.
 */
export function fromLocalField(text: string, filled: string | null = null): string | null {
  const at = new Date(text)
  if (text === '' || Number.isNaN(at.getTime())) return null
  if (filled !== null && at.getTime() === new Date(toLocalField(filled)).getTime()) return filled
  return at.toISOString()
}

/** Longer than any clock goes back at once. */
const HALF_A_DAY_MS = 43_200_000

/** Says which instant is taken where the clock of this device shows a time twice on that day, or skips it; null elsewhere. */
export function localOddity(text: string, instant: string): string | null {
  const shown = toLocalField(instant)
  const time = text.slice(11)
  if (!shown.startsWith(text)) {
    return `The clock of this device skips ${time} on that day; ${shown.slice(11, 11 + time.length)} is taken.`
  }
  const at = Date.parse(instant)
  const looksLike = (other: number) => other !== at && toLocalField(new Date(other).toISOString()) === shown
  const goesBack = (from: number) =>
    (new Date(from + HALF_A_DAY_MS).getTimezoneOffset() - new Date(from).getTimezoneOffset()) * 60_000
  if (looksLike(at + goesBack(at)))
    return `The clock of this device shows ${time} twice on that day; the first is taken.`
  if (looksLike(at - goesBack(at - HALF_A_DAY_MS))) {
    return `The clock of this device shows ${time} twice on that day; the second is taken.`
  }
  return null
}
