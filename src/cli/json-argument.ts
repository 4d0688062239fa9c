import { readFileSync } from 'node:fs'
import { isObject } from '../domain/plain-object.ts'
import { MAX_JSON_DEPTH, nestsDeeperThan } from '../domain/storable.ts'
import { wrongUsage } from './failure.ts'

/** What the help says of an option that takes a JSON object. */
export const JSON_ARGUMENT = 'a JSON object, or @ and the file that holds it (@- for standard input)'

/** The JSON object of an option. Throws a CommandFailure that names the option where it is none. */
export function jsonArgument(option: string, given: string): Record<string, unknown> {
  const from = given.startsWith('@') ? given.slice(1) : null
  const text = from === null ? given : contents(option, from)
  let value: unknown
  try {
    value = JSON.parse(text, (_key, part: unknown) => {
      if (typeof part !== 'number' || Number.isFinite(part)) return part
      throw new Error('a number is beyond double precision')
    })
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw wrongUsage(`${option} is no JSON (${why}); give an object like '{"level": 7}', or @ and the name of a file.`)
  }
  if (!isObject(value)) throw wrongUsage(`${option} has to be a JSON object, like '{"level": 7}'.`)
  if (!nestsDeeperThan(value, MAX_JSON_DEPTH)) return value
  throw wrongUsage(`${option} may nest at most ${MAX_JSON_DEPTH} levels deep; flatten it.`)
}

function contents(option: string, file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw wrongUsage(`${option} names a file that cannot be read (${why}); correct its name after the @.`)
  }
}
