import { z } from 'zod'
import { slugProblem } from '../domain/slug.ts'
import { inputProblem } from '../graphql/input-problem.ts'
import { askApi } from './api.ts'
import type { DefinitionFile, Problem } from './definition-file.ts'
import { CommandFailure } from './failure.ts'
import type { Session } from './session.ts'

const Messages = z.array(z.string())

/** What the API's types let pass, and of which nothing could be saved. */
function slugProblems(file: DefinitionFile): Problem[] {
  const { slug } = file.input
  const problem = typeof slug === 'string' ? slugProblem(slug) : null
  return problem === null ? [] : [file.problemAt('slug', problem)]
}

/**
 * What in a file does not fit CreateDefinitionInput: a field that there is not, a text where a number has to be, a slug that
 * can be none. The server finds the first two out, in a mutation that it is told not to do.
 */
export async function shapeProblems({ config }: Session, file: DefinitionFile): Promise<Problem[]> {
  try {
    await askApi(config, {
      document: `mutation ($input: CreateDefinitionInput!, $do: Boolean!) {
        createDefinition(input: $input) @include(if: $do) { __typename }
      }`,
      variables: { input: file.input, do: false },
      shape: z.object({}),
    })
    return slugProblems(file)
  } catch (error) {
    if (!(error instanceof CommandFailure) || error.code !== 'BAD_USER_INPUT') throw error
    const messages = Messages.safeParse(error.detail.messages).data ?? [error.message]
    const problems = messages.map((message) => {
      const problem = inputProblem(message) ?? { path: '', message }
      return file.problemAt(problem.path, problem.message)
    })
    return [...problems, ...slugProblems(file)]
  }
}
