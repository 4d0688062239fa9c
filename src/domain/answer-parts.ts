import { DateTime } from 'luxon'
import { isObject } from './plain-object.ts'
import { isStorable, MAX_JSON_DEPTH, nestsDeeperThan, storableJson, UNSTORABLE } from './storable.ts'
import { keyProblem } from './template.ts'

/** Something that an action made in the world and that has to be taken back; `leaseUntil` is RFC 3339 in UTC. */
export type CreatedResource = {
  kind: string
  ref: string
  payload: Record<string, unknown> | null
  leaseUntil: string | null
  memberKey: string | null
}

/** Someone who took part; `joinedAt` is RFC 3339 in UTC. Each member key occurs once. */
export type Participation = {
  memberKey: string
  userId: string | null
  score: number | null
  joinedAt: string | null
  meta: Record<string, unknown> | null
}

/** What is wrong with a part of an answer, as a sentence that names it. */
export class UnreadablePart extends Error {}

/**
 * An answer's `resources`. Kinds that start with `@` are Cuelight's own.
 * @throws UnreadablePart where one of them cannot be recorded as it is
 */
export function readResources(given: unknown): CreatedResource[] {
  return readList('resources', given).map((item, index) => {
    const part = new Part(`resources[${index}]`, item)
    const kind = part.requiredText('kind')
    if (kind.startsWith('@')) part.refuse('kind', 'must not start with "@", which is kept for Cuelight itself')
    return {
      kind,
      ref: part.requiredText('ref'),
      payload: part.object('payload'),
      leaseUntil: part.instant('leaseUntil'),
      memberKey: part.key('memberKey'),
    }
  })
}

/**
 * An answer's `participants`; of two with one member key the later counts.
 * @throws UnreadablePart where one of them cannot be recorded as it is
 */
export function readParticipants(given: unknown): Participation[] {
  const byKey = new Map<string, Participation>()
  for (const [index, item] of readList('participants', given).entries()) {
    const part = new Part(`participants[${index}]`, item)
    const memberKey = part.key('memberKey') ?? part.refuse('memberKey', 'must be a text that is not empty')
    byKey.set(memberKey, {
      memberKey,
      userId: part.text('userId'),
      score: part.number('score'),
      joinedAt: part.instant('joinedAt'),
      meta: part.object('meta'),
    })
  }
  return [...byKey.values()]
}

/**
 * An answer's `output` as JSON that can be kept. It is there to be read by people and the step's work is done by then,
 * so that what cannot be written as JSON is replaced by `{unreadable: why}` and fails nothing.
 */
export function readOutput(given: unknown): unknown {
  try {
    const text = JSON.stringify(given, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
    const output: unknown = text === undefined ? undefined : JSON.parse(text)
    if (nestsDeeperThan(output, MAX_JSON_DEPTH)) return { unreadable: `it nests deeper than ${MAX_JSON_DEPTH} levels` }
    return storableJson(output)
  } catch {
    return { unreadable: 'it cannot be written as JSON' }
  }
}

/** Plain data equal to what was given, or a refusal: here a changed value would make a revert miss its aim. */
function exactJson(name: string, given: unknown): unknown {
  const refuse = (problem: string): never => {
    throw new UnreadablePart(`${name} ${problem}`)
  }
  const check = (key: string, value: unknown) => {
    if (typeof value === 'number' && !Number.isFinite(value)) refuse('must not hold a number that is not finite')
    if (typeof value === 'function' || typeof value === 'symbol') refuse(`must not hold a ${typeof value}`)
    if (!isStorable(key) || (typeof value === 'string' && !isStorable(value))) refuse(`must not hold ${UNSTORABLE}`)
    return value
  }
  try {
    const data: unknown = JSON.parse(JSON.stringify(given, check))
    return nestsDeeperThan(data, MAX_JSON_DEPTH) ? refuse(`must not nest deeper than ${MAX_JSON_DEPTH} levels`) : data
  } catch (error) {
    if (error instanceof UnreadablePart) throw error
    return refuse('must be written as JSON, and cannot be')
  }
}

function readList(name: string, given: unknown): unknown[] {
  if (given === undefined || given === null) return []
  const data = exactJson(name, given)
  if (!Array.isArray(data)) throw new UnreadablePart(`${name} must be a list`)
  return data
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/

/** One entry of a list, read field by field; null counts as not given. */
class Part {
  readonly #name: string
  readonly #fields: Record<string, unknown>

  constructor(name: string, given: unknown) {
    if (!isObject(given)) throw new UnreadablePart(`${name} must be an object`)
    this.#name = name
    this.#fields = given
  }

  refuse(field: string, problem: string): never {
    throw new UnreadablePart(`${this.#name}.${field} ${problem}`)
  }

  text(field: string): string | null {
    const value = this.#given(field)
    if (value !== null && typeof value !== 'string') return this.refuse(field, 'must be a text')
    return value
  }

  requiredText(field: string): string {
    return this.text(field) || this.refuse(field, 'must be a text that is not empty')
  }

  key(field: string): string | null {
    const value = this.text(field)
    if (value === '') return this.refuse(field, 'must not be empty')
    const problem = value === null ? null : keyProblem(value)
    return problem === null ? value : this.refuse(field, problem.replace(/\.$/, ''))
  }

  number(field: string): number | null {
    const value = this.#given(field)
    if (value !== null && typeof value !== 'number') return this.refuse(field, 'must be a number')
    return value
  }

  object(field: string): Record<string, unknown> | null {
    const value = this.#given(field)
    if (value !== null && !isObject(value)) return this.refuse(field, 'must be an object')
    return value
  }

  instant(field: string): string | null {
    const value = this.text(field)
    if (value === null) return null
    const instant = DateTime.fromISO(value, { zone: 'utc' })
    if (!INSTANT.test(value) || !instant.isValid || instant.year < 1 || instant.year > 9999)
      return this.refuse(field, 'must be an instant like 2026-01-31T20:00:00Z')
    return instant.toJSDate().toISOString()
  }

  #given(field: string): unknown {
    return Object.hasOwn(this.#fields, field) ? (this.#fields[field] ?? null) : null
  }
}
