/** What is wrong with an input: `path` as `spec.phases[0].key`. */
export type InputProblem = { path: string; message: string }

/**
 * What GraphQL says of an input that does not fit (`Variable "$input" got invalid value … at "input.spec.phases[0]";
 * what is wrong`), for people who need not know it: the path in the input, and a sentence that says what to do. Null
 * where it says something else.
 */
export function inputProblem(said: string): InputProblem | null {
  if (said.startsWith('Too many errors processing variables')) {
    return { path: '', message: 'There are more problems than are listed here; solve these first.' }
  }
  const inside = /^Variable "\$\w+" got invalid value .*? at "\w+\.?((?:\w|\.|\[\d+\])*)"; (.*)$/s.exec(said)
  const path = inside?.[1] ?? ''
  const what = inside?.[2] ?? /^Variable "\$\w+" got invalid value \{.*\}; (.*)$/s.exec(said)?.[1]
  if (what === undefined) return null
  for (const [pattern, say] of SAYINGS) {
    const match = pattern.exec(what)
    if (match === null) continue
    const [, first = '', second = ''] = match
    const { field, message } = say(first, second)
    return { path: field === undefined ? path : [path, field].filter(Boolean).join('.'), message }
  }
  return { path, message: what }
}

type Saying = { field?: string; message: string }

/** A text that each scalar takes. */
const EXAMPLES: Readonly<Record<string, string>> = {
  Duration: ' like "30m"',
  LocalDateTime: ' like "2027-01-01T20:00"',
  TimeZone: ' like "Europe/Berlin"',
}

const KINDS: Readonly<Record<string, string>> = {
  Int: 'a whole number',
  Float: 'a number',
  Boolean: 'true or false',
}

const ending = (suggestions: string) =>
  suggestions === '' ? 'correct it' : `write ${suggestions.replace(/^the enum value /, '')}`

const SAYINGS: readonly (readonly [RegExp, (first: string, second: string) => Saying])[] = [
  [
    /^Field "(.*?)" is not defined by type "\w+"\.(?: Did you mean (.*)\?)?$/,
    (field, suggestions) => ({
      field,
      message: `This is not known here; ${suggestions === '' ? 'correct its name' : ending(suggestions)}, or remove it.`,
    }),
  ],
  [/^Field "(\w+)" of required type /, (field) => ({ field, message: 'This is missing; add it.' })],
  [/^Expected non-nullable type /, () => ({ message: 'This is empty; give a value.' })],
  [
    /^Expected type "\w+" to be an object/,
    () => ({ message: 'It has to be an object with fields of its own; write them.' }),
  ],
  [
    /^(\w+) cannot represent a? ?non (?:string|boolean|numeric) value: (.*)$/s,
    (type, value) =>
      type === 'String'
        ? { message: `It has to be a text, not ${value}; put a number into quotes.` }
        : { message: `It has to be ${KINDS[type] ?? type}, not ${value}; correct it.` },
  ],
  [
    /^Int cannot represent non-integer value: (.*)$/s,
    (value) => ({ message: `It has to be a whole number, not ${value}; correct it.` }),
  ],
  [
    /^Int cannot represent non 32-bit signed integer value: (.*)$/,
    (value) => ({ message: `The number ${value} is too large; give a smaller one.` }),
  ],
  [
    /^(?:Value|Enum) .*? (?:does not exist in "\w+" enum|cannot represent non-string value: [^.]*)\.(?: Did you mean (.*)\?)?$/s,
    (suggestions) => ({ message: `It is none of the values that are allowed here; ${ending(suggestions)}.` }),
  ],
  [
    /^Exactly one key must be specified for OneOf type /,
    () => ({ message: 'It has to hold exactly one of its fields; leave the others out.' }),
  ],
  [/^Field "(\w+)" must be non-null/, () => ({ message: 'This is empty; give a value.' })],
  [
    /^(\w+) is a string, not (.*)\.$/s,
    (type, value) => ({ message: `It has to be a text${EXAMPLES[type] ?? ''}, not ${value}; correct it.` }),
  ],
  [
    /^JSONObject is an object with keys, not (.*)\.$/s,
    (value) => ({ message: `It has to be an object with keys, not ${value}; correct it.` }),
  ],
]
