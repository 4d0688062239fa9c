/** A source of chance, with what it is used for most. */
export class Chance {
  readonly number: () => number

  /** `number`: from 0 to 1, below 1. */
  constructor(number: () => number) {
    this.number = number
  }

  below(limit: number): number {
    return Math.floor(this.number() * limit)
  }

  maybe(probability: number): boolean {
    return this.number() < probability
  }

  pick<T>(from: readonly T[]): T {
    const picked = from[this.below(from.length)]
    if (picked === undefined) throw new Error('There is nothing to pick from.')
    return picked
  }
}

const TEXTS = [
  '',
  ' ',
  'a',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udc00x',
  '\uffff',
  '\u202egnp.exe',
  'é',
  'e\u0301',
  '🎉'.repeat(64),
  'a'.repeat(64),
  'a'.repeat(65),
  'a'.repeat(190),
  'a'.repeat(191),
  'a'.repeat(20_000),
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'null',
  'undefined',
  'true',
  '0',
  '-1',
  '1e309',
  'NaN',
  '9'.repeat(40),
  '{',
  '}',
  '{}',
  '{region}',
  '{{region}}',
  '{__proto__}',
  '{region',
  "'; DROP TABLE runs; --",
  '%',
  '_',
  '\\',
  '"',
  '../../etc/passwd',
  '$(id)',
  '90s',
  '0s',
  '-5m',
  '367d',
  '1h30m',
  '99999999999999999999d',
  'P1Y',
  'PT',
  'PT0S',
  'PT30M',
  'UTC',
  'Europe/Berlin',
  'Mars/Olympus',
  'GMT+99',
  '2026-10-25T02:30',
  '2026-02-30T10:00',
  '2026-10-25T20:00:00Z',
  '0000-00-00T00:00',
  '+275760-09-13T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
  '0001-01-01T00:00:00Z',
  'FREQ=DAILY',
  'FREQ=SECONDLY;COUNT=999999999',
  'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
  'core.wait',
  'core.cue',
  'core.nothing',
  'nobody.acts',
  'manual',
  'def_00000000-0000-7000-8000-000000000000',
  'run_00000000-0000-7000-8000-000000000000',
  'step_ffffffff-ffff-ffff-ffff-ffffffffffff',
  'cue_',
  '_',
  'run_run_run',
]

const NUMBERS = [
  0,
  -0,
  1,
  -1,
  2,
  199,
  200,
  201,
  500,
  501,
  900,
  86_400,
  86_401,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31),
  2 ** 53,
  1e21,
  1e308,
  0.1,
  -0.5,
  Number.MIN_VALUE,
]

/** A text that has upset somebody before. */
export const hostileText = (chance: Chance): string =>
  chance.maybe(0.15) ? chance.pick(TEXTS) + chance.pick(TEXTS) : chance.pick(TEXTS)
export const hostileNumber = (chance: Chance): number => chance.pick(NUMBERS)

/** Any value that JSON can hold. */
export function hostileValue(chance: Chance, depth = 0): unknown {
  const kind = chance.below(depth > 3 ? 5 : 8)
  if (kind < 3) return hostileText(chance)
  if (kind === 3) return hostileNumber(chance)
  if (kind === 4) return chance.pick([null, true, false])
  if (kind === 5 && chance.maybe(0.1)) return nested(chance.pick([20, 100, 500, 3_000]))
  if (kind < 7) return Array.from({ length: chance.below(4) }, () => hostileValue(chance, depth + 1))
  return Object.fromEntries(
    Array.from({ length: chance.below(4) }, () => [hostileText(chance), hostileValue(chance, depth + 1)]),
  )
}

function nested(levels: number): unknown {
  let value: unknown = 'deep'
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

/** A copy of plain data with a few places replaced, removed or repeated. */
export function mutated(chance: Chance, value: unknown, changes: number): unknown {
  const copy = structuredClone(value)
  for (let change = 0; change < changes; change += 1) mutateOnce(chance, copy)
  return copy
}

function mutateOnce(chance: Chance, root: unknown): void {
  const places: { holder: Record<string, unknown> | unknown[]; key: string }[] = []
  const visit = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, child] of Object.entries(value)) {
      places.push({ holder: value as Record<string, unknown> | unknown[], key })
      visit(child)
    }
  }
  visit(root)
  if (places.length === 0) return
  const { holder, key } = chance.pick(places)
  const old: unknown = Reflect.get(holder, key)
  const action = chance.below(10)
  if (action === 0 && Array.isArray(holder)) holder.splice(Number(key), 1)
  else if (action === 0) Reflect.deleteProperty(holder, key)
  else if (action === 1 && Array.isArray(holder))
    holder.push(...Array.from({ length: chance.pick([1, 60, 250]) }, () => old))
  else if (action === 2) define(holder, hostileText(chance), hostileValue(chance))
  else define(holder, key, typeof old === 'string' && action < 7 ? hostileText(chance) : hostileValue(chance))
}

/** As JSON.parse sets a key: "__proto__" is one like any other. */
function define(holder: object, key: string, value: unknown): void {
  if (Array.isArray(holder) && !/^\d+$/.test(key)) return
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true })
}
