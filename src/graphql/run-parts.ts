import { censoredJson } from '../domain/censor.ts'
import { builder } from './builder.ts'
import { objectOrNull } from './stored-json.ts'

export const BudgetLine = builder.prismaObject('BudgetLine', {
  name: 'BudgetLine',
  description: 'The meter of one countable effect of a run. cap null: counted, not bounded.',
  fields: (t) => ({
    dimension: t.exposeString('dimension', { description: 'What is counted: "creatures".' }),
    consumed: t.exposeFloat('consumed', { description: 'How much the run has caused.' }),
    cap: t.exposeFloat('cap', { nullable: true, description: 'The most that it may; null: counted, not bounded.' }),
    from: t.exposeString('capFrom', { nullable: true, description: 'Id of the action whose setting gave the cap.' }),
  }),
})

export const ResourceStatus = builder.enumType('ResourceStatus', {
  description: 'What became of something that a run left in the world.',
  values: {
    ACTIVE: { description: 'It is there.' },
    REVERTING: { description: 'It is being taken back.' },
    REVERTED: { description: 'It was taken back.' },
    FAILED: { description: 'It could not be taken back.' },
    ABANDONED: { description: 'A person decided to leave it.' },
  },
})

export const Resource = builder.prismaNode('Resource', {
  id: { field: 'id', description: 'res_<uuid>' },
  description: 'Something that a run left in the world and that is taken back in the end.',
  fields: (t) => ({
    step: t.relation('step', { nullable: true, description: 'The step that made it.' }),
    module: t.exposeString('module', { description: 'Id of the module that can take it back.' }),
    kind: t.exposeString('kind', {
      description:
        'What it is, in the words of the module; `@step`: whatever a step may have made that gave no answer.',
    }),
    ref: t.string({
      description: 'How the module calls it.',
      resolve: ({ ref }, _args, { control }) => control.censor(ref),
    }),
    payload: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'What the module keeps with it.',
      resolve: ({ payload }, _args, { control }) => censoredJson(objectOrNull(payload), control.censor),
    }),
    memberKey: t.exposeString('memberKey', { nullable: true, description: 'The participant that it belongs to.' }),
    leaseUntil: t.expose('leaseUntil', {
      type: 'DateTime',
      nullable: true,
      description: 'Taken back then, run or no run.',
    }),
    status: t.expose('status', { type: ResourceStatus, description: 'What became of it.' }),
    revertAttempts: t.exposeInt('revertAttempts', { description: 'How often taking it back was tried.' }),
    lastError: t.exposeString('lastError', { nullable: true, description: 'Why it could not be taken back.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
  }),
})

export const Participant = builder.prismaObject('Participant', {
  name: 'Participant',
  description: 'Somebody who takes part in a run.',
  fields: (t) => ({
    memberKey: t.exposeString('memberKey', { description: 'Who, unique in the run.' }),
    userId: t.exposeString('userId', { nullable: true, description: 'Their account in the world.' }),
    score: t.exposeFloat('score', { nullable: true, description: 'The higher the better.' }),
    rank: t.exposeInt('rank', {
      nullable: true,
      description: 'From 1, equal scores alike; null until results are published.',
    }),
    joinedAt: t.expose('joinedAt', { type: 'DateTime', nullable: true, description: 'When they joined.' }),
    meta: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'What the world says of them besides.',
      resolve: ({ meta }) => objectOrNull(meta),
    }),
  }),
})
