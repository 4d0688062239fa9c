import type { ObjectRef } from '@pothos/core'
import type { Conflict, InvalidInput, LastControl, NotFound, Refusal } from '../controls/result.ts'
import type { Issue } from '../domain/issue.ts'
import { definitionById, runById, stepById } from '../store/node-reads.ts'
import { type ApiTypes, builder } from './builder.ts'
import { ActorRef } from './viewer.ts'

const ErrorCode = builder.enumType('ErrorCode', {
  description: 'The expected errors.',
  values: {
    NOT_FOUND: { description: 'There is no such thing.' },
    CONFLICT: { description: 'The thing is not in a state that allows this, or somebody got there first.' },
    INVALID_INPUT: { description: 'The input is wrong in itself; `issues` says where and what to do.' },
  },
})

const ErrorInterface = builder.interfaceRef<Refusal>('Error').implement({
  description: 'An error that a correct client has to expect. Nothing was changed.',
  fields: (t) => ({
    code: t.field({ type: ErrorCode, description: 'Which of the expected errors.', resolve: ({ error }) => error }),
    message: t.exposeString('message', { description: 'A sentence for people: what is wrong and what to do.' }),
  }),
})

const NotFoundError = builder.objectRef<NotFound>('NotFoundError').implement({
  description: 'There is no such thing.',
  interfaces: [ErrorInterface],
})

const LastControlRef = builder.objectRef<LastControl>('LastControl').implement({
  description: 'Who got there first: "Mira advanced this 2 s ago".',
  fields: (t) => ({
    actor: t.field({ type: ActorRef, description: 'Who.', resolve: ({ actor }) => actor }),
    action: t.exposeString('action', {
      description: 'What they did: a value of RunControl or StepControl, or ABANDON_RESOURCE.',
    }),
    at: t.field({ type: 'DateTime', description: 'When.', resolve: ({ at }) => new Date(at) }),
  }),
})

const ConflictError = builder.objectRef<Conflict>('ConflictError').implement({
  description: 'The thing is not in a state that allows this; it is returned as it is now.',
  interfaces: [ErrorInterface],
  fields: (t) => ({
    currentDefinition: t.prismaField({
      type: 'Definition',
      nullable: true,
      description: 'The definition as it is now, where the conflict is about one.',
      resolve: (query, { definitionId }, _args, { control }) =>
        definitionId === undefined ? null : definitionById(control.db, definitionId, query),
    }),
    currentRun: t.prismaField({
      type: 'Run',
      nullable: true,
      description: 'The run as it is now, where the conflict is about one.',
      resolve: (query, { runId }, _args, { control }) =>
        runId === undefined ? null : runById(control.db, runId, query),
    }),
    currentStep: t.prismaField({
      type: 'Step',
      nullable: true,
      description: 'The step as it is now, where the conflict is about one.',
      resolve: (query, { stepId }, _args, { control }) =>
        stepId === undefined ? null : stepById(control.db, stepId, query),
    }),
    lastControl: t.field({
      type: LastControlRef,
      nullable: true,
      description: 'Who was first, where a control is what made this one too late.',
      resolve: ({ lastControl }) => lastControl ?? null,
    }),
  }),
})

export const InputIssue = builder.objectRef<Issue>('InputIssue').implement({
  description: 'One thing that is wrong with an input.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'Where: `phases[1].steps[0].params.count`, counted from 0.' }),
    message: t.exposeString('message', { description: 'A sentence: what is wrong and what to do.' }),
  }),
})

const InvalidInputError = builder.objectRef<InvalidInput>('InvalidInputError').implement({
  description: 'The input is wrong in itself.',
  interfaces: [ErrorInterface],
  fields: (t) => ({
    issues: t.field({ type: [InputIssue], description: 'Every problem at once.', resolve: ({ issues }) => issues }),
  }),
})

const ERRORS = { NOT_FOUND: NotFoundError, CONFLICT: ConflictError, INVALID_INPUT: InvalidInputError } as const

/** The union that a mutation answers: its payload or one of the expected errors. `name` is the mutation's, capitalised. */
export function resultUnion<Payload extends { error?: undefined }>(
  name: string,
  payload: ObjectRef<ApiTypes, Payload>,
) {
  return builder.unionType(`${name}Result`, {
    description: `The payload of ${name}, or why nothing was changed.`,
    types: [payload, NotFoundError, ConflictError, InvalidInputError],
    resolveType: (value) => (value.error === undefined ? payload : ERRORS[value.error]),
  })
}
