import type { IssueFragment } from '../../generated/console/documents.ts'
import type { InputProblem } from '../../graphql/input-problem.ts'
import type { Content } from '../definitions/content.ts'
import { isObject, listOf, objectOf } from '../definitions/json.ts'
import { written } from './path.ts'

const MAX_INT = 2 ** 31 - 1

/**
 * What keeps a draft from being sent at all: where the API takes whole numbers or objects alone, it has no way to keep
 * anything else and tell of it.
 */
export function localIssues({ graceSeconds, phases }: Content): IssueFragment[] {
  return [
    ...(isInt(graceSeconds) ? [] : [{ path: 'graceSeconds', message: 'Write a whole number of seconds, like 900.' }]),
    ...phases.flatMap((phase, index) => {
      const { steps, advance } = objectOf(phase)
      const { trigger } = objectOf(advance)
      const gate = ['phases', index, 'advance', 'trigger']
      const { count, where } = objectOf(trigger)
      return [
        ...listOf(steps).flatMap((step, seq) => {
          const { params } = objectOf(step)
          const path = written(['phases', index, 'steps', seq, 'params'])
          return params == null || isObject(params)
            ? []
            : [{ path, message: 'Params must be one JSON object, like {"message": "Hello"}; correct it.' }]
        }),
        ...(isInt(count) ? [] : [{ path: written([...gate, 'count']), message: 'Write a whole number, like 3.' }]),
        ...(where == null || isObject(where)
          ? []
          : [{ path: written([...gate, 'where']), message: 'A condition must be one JSON object; correct it.' }]),
      ]
    }),
  ]
}

const isInt = (value: unknown): boolean =>
  value == null || (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= MAX_INT)

/** What the API's types did not take, where the draft has it: issues of the spec have paths within it. */
export const issueOfMisfit = ({ path, message }: InputProblem): IssueFragment => ({
  path: path.replace(/^spec\./, ''),
  message,
})
