import type { Setting } from '../domain/budget.ts'
import type { RegisteredAction, RegisteredTrigger } from '../modules/registered.ts'
import { actionSettings } from '../store/setting-reads.ts'
import { needs } from './access.ts'
import { shared } from './batch.ts'
import { builder } from './builder.ts'

const ActionRisk = builder.enumType('ActionRisk', {
  description:
    'How much harm a failure of an action does; decides what it does to the run where the author does not say.',
  values: {
    NOTIFY: { description: 'Only tells somebody: SKIP.' },
    CHANGE: { description: 'Changes the world: PAUSE.' },
    IRREVERSIBLE: { description: 'Changes it for good: ABORT_RUN.' },
  },
})

const ActionReversible = builder.enumType('ActionReversible', {
  description: 'Whether what an action makes can be taken back.',
  values: {
    NONE: { description: 'It makes nothing that can be.' },
    REVERT: { description: 'It is taken back when the run ends.' },
  },
})

const Cap = builder.objectRef<Setting['caps'][number]>('Cap').implement({
  description: 'The most of one countable effect that a run may cause.',
  fields: (t) => ({
    dimension: t.exposeString('dimension', { description: 'What is counted.' }),
    cap: t.exposeFloat('cap', { nullable: true, description: 'The most; null: counted, not bounded.' }),
  }),
})

const ActionSetting = builder.objectRef<Setting>('ActionSetting').implement({
  description: 'What an admin set for an action.',
  fields: (t) => ({
    enabled: t.exposeBoolean('enabled', { description: 'False: steps that call it are refused.' }),
    caps: t.field({
      type: [Cap],
      description: 'The most that a run may cause, by dimension.',
      resolve: ({ caps }) => caps,
    }),
  }),
})

export const ActionType = builder.objectRef<RegisteredAction>('ActionType').implement({
  description: 'An action that a module registers.',
  fields: (t) => ({
    id: t.exposeString('id', { description: '`core.wait`: what a step names.' }),
    module: t.exposeString('module', { description: 'Id of the module.' }),
    label: t.exposeString('label', { description: 'Name for people.' }),
    description: t.string({
      nullable: true,
      description: 'What it does.',
      resolve: ({ description }) => description ?? null,
    }),
    version: t.exposeInt('version', { description: 'Raised when its meaning changes.' }),
    risk: t.expose('risk', { type: ActionRisk, description: 'How much harm a failure does.' }),
    reversible: t.expose('reversible', {
      type: ActionReversible,
      description: 'Whether what it makes can be taken back.',
    }),
    budgetMs: t.exposeInt('budgetMs', { description: 'An answer later than this many milliseconds is a timeout.' }),
    paramsSchema: t.field({
      type: 'JSONObject',
      description: 'JSON Schema of its params.',
      resolve: ({ paramsSchema }) => paramsSchema,
    }),
    dimensions: t.stringList({
      description: 'The countable effects that it may have.',
      resolve: ({ dimensions }) => [...dimensions],
    }),
    supportsVerify: t.exposeBoolean('supportsVerify', {
      description: 'Whether it can say if it would work, without changing anything.',
    }),
    setting: t.field({
      type: ActionSetting,
      description: 'What an admin set for it.',
      resolve: async ({ id }, _args, context) =>
        (await shared(context, 'action settings', (ids) => actionSettings(context.control.db.prisma, ids)).load(
          id,
        )) ?? {
          enabled: true,
          caps: [],
        },
    }),
  }),
})

const TriggerType = builder.objectRef<RegisteredTrigger>('TriggerType').implement({
  description: 'A trigger that a module registers: a named fact from outside.',
  fields: (t) => ({
    id: t.exposeString('id', { description: '`shard.boss-slain`: what a gate names.' }),
    module: t.exposeString('module', { description: 'Id of the module.' }),
    label: t.exposeString('label', { description: 'Name for people.' }),
    description: t.string({
      nullable: true,
      description: 'When it is emitted.',
      resolve: ({ description }) => description ?? null,
    }),
    payloadSchema: t.field({
      type: 'JSONObject',
      description: 'JSON Schema of what it is emitted with.',
      resolve: ({ payloadSchema }) => payloadSchema,
    }),
  }),
})

builder.queryFields((t) => ({
  actions: t.field({
    type: [ActionType],
    authScopes: needs('VIEWER'),
    description: 'Every registered action.',
    resolve: (_root, _args, { registry }) => registry.actions(),
  }),
  triggers: t.field({
    type: [TriggerType],
    authScopes: needs('VIEWER'),
    description: 'Every registered trigger.',
    resolve: (_root, _args, { registry }) => registry.triggers(),
  }),
}))
