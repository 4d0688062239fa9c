import { setActionSetting } from '../controls/settings.ts'
import type { RegisteredAction } from '../modules/registered.ts'
import { needs } from './access.ts'
import { builder } from './builder.ts'
import { actorOf } from './context.ts'
import { resultUnion } from './errors.ts'
import { ActionType } from './modules.ts'

const CapInput = builder.inputType('CapInput', {
  description: 'The most of one countable effect that a run may cause.',
  fields: (t) => ({
    dimension: t.string({ required: true, description: 'What is counted: one of the dimensions of the action.' }),
    cap: t.float({ description: 'The most, 0 or more; null or omitted: counted, not bounded.' }),
  }),
})

const ActionSettingInput = builder.inputType('ActionSettingInput', {
  description: 'What to set for an action. What is omitted stays as it is.',
  fields: (t) => ({
    actionId: t.string({ required: true, description: 'Id of a registered action.' }),
    enabled: t.boolean({ description: 'False: steps that call it are refused from now on.' }),
    caps: t.field({
      type: [CapInput],
      description: 'Caps of these dimensions, for runs that start from now on; other dimensions keep theirs.',
    }),
    reason: t.string({ description: 'Why; kept in the audit log.' }),
  }),
})

type SetActionSettingDone = { error?: undefined; action: RegisteredAction }

const SetActionSettingPayload = builder.objectRef<SetActionSettingDone>('SetActionSettingPayload').implement({
  description: 'What SetActionSetting answers when it was done.',
  fields: (t) => ({
    action: t.field({
      type: ActionType,
      description: 'The action with its setting as it is now.',
      resolve: ({ action }) => action,
    }),
  }),
})

const SetActionSettingResult = resultUnion('SetActionSetting', SetActionSettingPayload)

builder.mutationField('setActionSetting', (t) =>
  t.field({
    type: SetActionSettingResult,
    authScopes: needs('ADMIN'),
    description:
      'Switches an action on or off, which holds from the next step on, and caps what a run may cause by it, which holds for runs that start from then on. Needs ADMIN.',
    args: { input: t.arg({ type: ActionSettingInput, required: true, description: 'What to set.' }) },
    resolve: (_root, { input }, context) => setActionSetting(context.control, actorOf(context), input),
  }),
)
