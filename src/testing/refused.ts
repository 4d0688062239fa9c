import type { Refusal } from '../controls/result.ts'
import type { Issue } from '../domain/issue.ts'

/** What Cuelight says no to: an event that cannot be published, a control that the run is not fit for. */
export class Refused extends Error {
  override readonly name = 'Refused'
  /** The API's error code. */
  readonly code: Refusal['error']
  /** Everything that is wrong with an input, with paths such as `phases[1].steps[0].params.count`. */
  readonly issues: readonly Issue[]

  constructor(
    what: string,
    { error, message, issues = [] }: { error: Refusal['error']; message: string; issues?: readonly Issue[] },
  ) {
    const reasons =
      issues.length === 0 ? ` ${message}` : issues.map((issue) => `\n  ${issue.path}: ${issue.message}`).join('')
    super(`${what}:${reasons}`)
    this.code = error
    this.issues = issues
  }
}

/** The value that a control answered; throws `Refused` where it refused. `what`: "The run cannot be paused". */
export function granted<T extends object>(what: string, result: (T & { error?: undefined }) | Refusal): T {
  if (result.error !== undefined) throw new Refused(what, result)
  return result
}
