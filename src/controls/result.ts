import type { Issue } from '../domain/issue.ts'

/** Who was first, for "Mira advanced this 2 s ago". */
export type LastControl = { actor: { kind: 'USER' | 'TOKEN' | 'SYSTEM'; name: string }; action: string; at: string }

/** The thing a control was aimed at is not there. */
export type NotFound = { error: 'NOT_FOUND'; message: string }
/** The thing is not in a state that allows this. The ids are bare UUIDs; the API returns those things as they are now. */
export type Conflict = {
  error: 'CONFLICT'
  message: string
  definitionId?: string
  runId?: string
  stepId?: string
  lastControl?: LastControl | null
}
/** The request is wrong in itself. */
export type InvalidInput = { error: 'INVALID_INPUT'; message: string; issues: Issue[] }

export type Refusal = NotFound | Conflict | InvalidInput
/** What a control answers: its value, or an expected error as data. Only faults throw. */
export type Result<T> = ({ error?: undefined } & T) | Refusal

export const notFound = (message: string): NotFound => ({ error: 'NOT_FOUND', message })
export const conflict = (message: string, about: Omit<Conflict, 'error' | 'message'> = {}): Conflict => ({
  error: 'CONFLICT',
  message,
  ...about,
})

/** How often a control looks again when somebody else got there first. Each time somebody else got on, so that few do. */
export const MAX_TRIES = 100
/** What a control answers that looked again so often: rather than for ever. */
export const overtaken = (about: Omit<Conflict, 'error' | 'message'>): Conflict =>
  conflict('Others kept changing this at the same time; look at it as it is now, and try again in a moment.', about)

export const invalid = (
  issues: Issue[],
  message = issues.map((issue) => `${issue.path}: ${issue.message}`).join(' '),
): InvalidInput => ({
  error: 'INVALID_INPUT',
  message,
  issues,
})
