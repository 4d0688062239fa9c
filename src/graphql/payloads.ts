import { definitionById, runById, stepById } from '../store/node-reads.ts'
import { builder } from './builder.ts'
import { Cue } from './cue.ts'

/** What the controls answer when they did something. */
export type DefinitionDone = { error?: undefined; definitionId: string }
export type RunDone = { error?: undefined; runId: string }
export type StepDone = { error?: undefined; stepId: string }

/** Nothing is ever deleted: what a control answered is in the database. */
export async function found<Row>(row: Promise<Row | null>): Promise<Row> {
  const read = await row
  if (read === null) throw new Error('what a control answered is not in the database')
  return read
}

/** The payload of a mutation that changes a definition. */
export const definitionPayload = (name: string) =>
  builder.objectRef<DefinitionDone>(`${name}Payload`).implement({
    description: `What ${name} answers when it was done.`,
    fields: (t) => ({
      definition: t.prismaField({
        type: 'Definition',
        description: 'The definition as it is now.',
        resolve: (query, { definitionId }, _args, { control }) =>
          found(definitionById(control.db, definitionId, query)),
      }),
    }),
  })

/** The payload of a mutation that changes a run. */
export const runPayload = (name: string) =>
  builder.objectRef<RunDone>(`${name}Payload`).implement({
    description: `What ${name} answers when it was done.`,
    fields: (t) => ({
      run: t.prismaField({
        type: 'Run',
        description: 'The run as it is now.',
        resolve: (query, { runId }, _args, { control }) => found(runById(control.db, runId, query)),
      }),
    }),
  })

/** The payload of a mutation that changes a step. */
export const stepPayload = (name: string) =>
  builder.objectRef<StepDone>(`${name}Payload`).implement({
    description: `What ${name} answers when it was done.`,
    fields: (t) => ({
      step: t.prismaField({
        type: 'Step',
        description: 'The step as it is now.',
        resolve: (query, { stepId }, _args, { control }) => found(stepById(control.db, stepId, query)),
      }),
    }),
  })

/** The payload of a mutation that changes a cue. */
export const cuePayload = (name: string) =>
  builder.objectRef<StepDone>(`${name}Payload`).implement({
    description: `What ${name} answers when it was done.`,
    fields: (t) => ({
      cue: t.prismaField({
        type: Cue,
        description: 'The cue as it is now.',
        resolve: (query, { stepId }, _args, { control }) => found(stepById(control.db, stepId, query)),
      }),
    }),
  })
