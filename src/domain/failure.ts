import { storableText } from './storable.ts'

const SILENT = 'it failed without saying why'

/**
 * What anything that was thrown or given as an error says, of any length, fit to be kept: an error's message and that
 * of its cause, a text itself, other things as JSON; `silent` where it says nothing. Never throws, whatever the thing
 * does when it is read.
 */
export function failureOf(thrown: unknown, { silent = SILENT } = {}): string {
  try {
    return storableText(describe(thrown).trim()) || silent
  } catch {
    return 'it failed with an error that cannot be read'
  }
}

function describe(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown
  if (thrown === undefined || thrown === null || typeof thrown === 'function') return ''
  if (typeof thrown !== 'object') return String(thrown)
  const message = messageOf(thrown)
  if (message === '') return JSON.stringify(thrown) ?? ''
  const cause = 'cause' in thrown && typeof thrown.cause === 'object' && thrown.cause ? messageOf(thrown.cause) : ''
  return cause === '' || message.includes(cause) ? message : `${message} (${cause})`
}

/** Errors of Node that stand for several have no message of their own, but a code. */
function messageOf(thing: object): string {
  const named: { message?: unknown; code?: unknown; name?: unknown } = thing
  const { message, code } = named
  if (typeof message === 'string' && message !== '') return message
  if (typeof code === 'string' && code !== '') return code
  return thing instanceof Error ? String(named.name) : ''
}
