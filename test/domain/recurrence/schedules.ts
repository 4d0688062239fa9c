import type { Occurrence } from '../../../src/domain/recurrence/occurrence.ts'
import { occurrencesBetween } from '../../../src/domain/recurrence/occurrences.ts'
import { type CompiledSchedule, compileSchedule } from '../../../src/domain/recurrence/schedule.ts'
import type { ZoneData } from '../../../src/domain/recurrence/zone-data.ts'
import type { Schedule } from '../../../src/domain/spec.ts'

export type Recurring = { start: string; rule: string; exclude?: string[]; include?: string[] }

export const recurring = ({ start, rule, exclude = [], include = [] }: Recurring): Schedule => ({
  recurring: { start, rule, exclude, include },
})

export const DAY_MS = 86_400_000

/** All of them in a window whose ends are written in UTC. */
export function between(compiled: CompiledSchedule, [from, to]: [string, string]): Occurrence[] {
  return occurrencesBetween(compiled, Date.parse(from), Date.parse(to), { limit: Number.POSITIVE_INFINITY })
}

/** What a recurring schedule gives, as keys. */
export function keysOf(schedule: Recurring, { zone = 'UTC', zones, window }: KeysOptions): string[] {
  return between(compileSchedule(recurring(schedule), zone, zones), window).map(({ key }) => key)
}
type KeysOptions = { zone?: string; zones: ZoneData; window: [string, string] }

/** Numbers from 0 to below 1 that a seed decides (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The seed of a random test, which its name tells; FUZZ_SEED replays one. */
export function seedOf(fallback: number): number {
  return process.env.FUZZ_SEED === undefined ? fallback : Number(process.env.FUZZ_SEED)
}

/** Draws rules of every kind and their starts. */
export class Draw {
  readonly random: () => number

  constructor(seed: number) {
    this.random = randomFrom(seed)
  }

  below(count: number): number {
    return Math.floor(this.random() * count)
  }

  chance(share: number): boolean {
    return this.random() < share
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)]
    if (item === undefined) throw new Error('there is nothing to pick')
    return item
  }

  /** One to `most` different numbers, in order. */
  some(most: number, draw: () => number): number[] {
    return [...new Set(Array.from({ length: 1 + this.below(most) }, draw))].sort((a, b) => a - b)
  }

  start(firstYear: number, years: number): string {
    const at = Date.UTC(firstYear + this.below(years), this.below(12), 1 + this.below(31), this.below(24))
    return new Date(at + this.pick([0, 0, 30, 15, 45]) * 60_000).toISOString().slice(0, 16)
  }

  rule(frequencies: readonly string[] = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY', 'HOURLY', 'MINUTELY']): string {
    const frequency = this.pick(frequencies)
    const isElapsed = frequency === 'HOURLY' || frequency === 'MINUTELY'
    const isLong = frequency === 'MONTHLY' || frequency === 'YEARLY'
    const interval = frequency === 'MINUTELY' ? this.pick([5, 30, 45, 90, 1440]) : this.pick([1, 1, 1, 2, 3, 4, 7])
    const parts = [`FREQ=${frequency}`, ...(interval === 1 ? [] : [`INTERVAL=${interval}`])]
    const add = (share: number, key: string, values: () => (string | number)[]) => {
      if (this.chance(share)) parts.push(`${key}=${values().join()}`)
    }
    const signed = (most: number) => (this.chance(0.3) ? -1 - this.below(most) : 1 + this.below(most))
    add(isElapsed ? 0.2 : 0.3, 'BYMONTH', () => this.some(4, () => 1 + this.below(12)))
    const inMonth = frequency === 'MONTHLY' || parts.some((part) => part.startsWith('BYMONTH='))
    add(0.5, 'BYDAY', () => {
      const isNumbered = isLong && this.chance(0.5)
      const days = this.some(3, () => this.below(7)).map((day) => ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'][day] ?? '')
      return days.map((day) => (isNumbered ? `${signed(inMonth ? 5 : 53)}${day}` : day))
    })
    if (frequency !== 'WEEKLY') add(isElapsed ? 0.1 : 0.3, 'BYMONTHDAY', () => this.some(3, () => signed(31)))
    add(0.3, 'BYHOUR', () => this.some(3, () => this.below(24)))
    if (!isElapsed) add(0.2, 'BYMINUTE', () => this.some(3, () => this.below(60)))
    const isPositioned = isLong && parts.some((part) => part.startsWith('BYDAY') || part.startsWith('BYMONTHDAY'))
    if (isPositioned) add(0.3, 'BYSETPOS', () => this.some(2, () => signed(4)))
    if (frequency === 'WEEKLY') add(0.3, 'WKST', () => [this.pick(['MO', 'SU', 'TH'])])
    return parts.join(';')
  }
}
