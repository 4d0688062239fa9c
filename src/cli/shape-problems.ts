import { z } from 'zod'
import { askApi } from './api.ts'
import type { DefinitionFile, Problem } from './definition-file.ts'
import { CommandFailure } from './failure.ts'
import { inputProblem } from './input-problem.ts'
import type { Session } from './session.ts'

const Messages = z.array(z.string())

/**
 * What in a file does not fit CreateDefinitionInput: a field that there is not, a text where a number has to be. The
 * server finds it out, in a mutation that it is told not to do.
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
    return []
  } catch (error) {
    if (!(error instanceof CommandFailure) || error.code !== 'BAD_USER_INPUT') throw error
    const messages = Messages.safeParse(error.detail.messages).data ?? [error.message]
    return messages.map((message) => {
      const problem = inputProblem(message) ?? { path: '', message }
      return file.problemAt(problem.path, problem.message)
    })
  }
}
