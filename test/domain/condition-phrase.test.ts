import { expect, test } from 'vitest'
import { type Condition, meets, phraseOf } from '../../src/domain/condition.ts'
import { randomFrom } from '../model/histories.ts'

const FIELDS = ['a', 'b', 'c']
const PAYLOADS = [0, 1, 2, 3, 4, 5, 6, 7].map((bits) => ({ a: bits & 1, b: (bits >> 1) & 1, c: (bits >> 2) & 1 }))
type Payload = (typeof PAYLOADS)[number]

function randomCondition(random: () => number, depth: number): Condition {
  const pick = (count: number) => Math.floor(random() * count)
  const parts = () => Array.from({ length: 1 + pick(3) }, () => randomCondition(random, depth - 1))
  const kind = depth === 0 ? 3 : pick(4)
  if (kind === 0) return { all: parts() }
  if (kind === 1) return { any: parts() }
  if (kind === 2) return { not: randomCondition(random, depth - 1) }
  return { field: FIELDS[pick(3)] ?? 'a', op: 'EQ', value: pick(2) }
}

/** Reads a phrase as a person would, who does not know whether "and" or "or" goes first: both at one level throw. */
function holdsAsRead(phrase: string, payload: Payload): boolean {
  const words = phrase.match(/\(|\)|\band\b|\bor\b|\bnot\b|[abc] is \d/g) ?? []
  const next = (wanted: RegExp) => {
    const word = words.shift()
    if (word === undefined || !wanted.test(word)) throw new Error(`"${phrase}" cannot be read.`)
    return word
  }
  const inParentheses = () => {
    next(/\(/)
    const holds = group()
    next(/\)/)
    return holds
  }
  const part = (): boolean => {
    if (words[0] === '(') return inParentheses()
    const word = next(/not|is/)
    if (word === 'not') return !inParentheses()
    return payload[word[0] as keyof Payload] === Number(word.at(-1))
  }
  const group = (): boolean => {
    let holds = part()
    const joint = words[0]
    while (words[0] === 'and' || words[0] === 'or') {
      if (words.shift() !== joint) throw new Error(`"${phrase}" can be read in two ways.`)
      const other = part()
      holds = joint === 'and' ? holds && other : holds || other
    }
    return holds
  }
  const holds = group()
  if (words.length > 0) throw new Error(`"${phrase}" goes on after its end.`)
  return holds
}

const seed = Number(process.env.FUZZ_SEED ?? 5)
test(`a phrase can be read in one way, and says what its condition does (seed ${seed})`, () => {
  const random = randomFrom(seed)
  for (let count = 0; count < 3_000; count += 1) {
    const condition = randomCondition(random, 4)
    const phrase = phraseOf(condition)
    const read = PAYLOADS.map((payload) => holdsAsRead(phrase, payload))
    const meant = PAYLOADS.map((payload) => meets(condition, payload))
    expect(read, `${phrase}: ${JSON.stringify(condition)}`).toEqual(meant)
  }
})
