import { emitTrigger } from '../controls/emit.ts'
import { formatId } from '../domain/ids.ts'
import type { EmissionResult, MetGate } from '../store/triggers.ts'
import { needs } from './access.ts'
import { builder } from './builder.ts'
import { actorOf } from './context.ts'
import { resultUnion } from './errors.ts'

const EmitTriggerInput = builder.inputType('EmitTriggerInput', {
  description: 'What happened, and whom to tell.',
  fields: (t) => ({
    trigger: t.string({ required: true, description: 'Id of a registered trigger.' }),
    payload: t.field({
      type: 'JSONObject',
      description: "What there is to say about it, as the trigger's payloadSchema wants it; {} where omitted.",
    }),
    scope: t.string({ description: "Only runs of this scope, also of '', the one without a name. Omitted: of all." }),
    dedupeKey: t.string({
      description:
        'Of emissions of this trigger with the same key within 24 h only the first counts, whatever their scope and payload; so that a script may try again after a lost answer. Up to 190 characters.',
    }),
    rehearsal: t.boolean({ description: 'True: rehearsals only. Else real runs only.' }),
  }),
})

const MatchedGate = builder.objectRef<MetGate>('MatchedGate').implement({
  description: 'A gate that a trigger was tried on.',
  fields: (t) => ({
    runId: t.id({ description: 'Id of the run.', resolve: ({ runId }) => formatId('Run', runId) }),
    phase: t.exposeString('phase', { description: 'Key of the phase that waits.' }),
    matched: t.exposeBoolean('matched', { description: 'Whether the payload met its condition, so that it counts.' }),
    tally: t.exposeInt('tally', { description: 'How many have counted by then.' }),
    needed: t.exposeInt('needed', { description: 'How many have to.' }),
    opened: t.exposeBoolean('opened', { description: 'Whether this one opened it.' }),
  }),
})

type EmitTriggerDone = { error?: undefined; duplicate: boolean } & EmissionResult

const EmitTriggerPayload = builder.objectRef<EmitTriggerDone>('EmitTriggerPayload').implement({
  description: 'What became of a trigger; all of it is in the database by then.',
  fields: (t) => ({
    duplicate: t.exposeBoolean('duplicate', {
      description: 'True: the dedupeKey was used before; the rest is what was answered then, and nothing was counted.',
    }),
    matchedCount: t.exposeInt('matchedCount', { description: 'Gates whose condition was met.' }),
    matched: t.field({
      type: [MatchedGate],
      description: 'The first 100 gates that it was tried on, those whose condition was met first.',
      resolve: ({ matched }) => matched,
    }),
  }),
})

const EmitTriggerResult = resultUnion('EmitTrigger', EmitTriggerPayload)

builder.mutationField('emitTrigger', (t) =>
  t.field({
    type: EmitTriggerResult,
    authScopes: needs('EMITTER'),
    description: 'Tells the runs whose gate waits for it that something happened. Needs EMITTER.',
    args: { input: t.arg({ type: EmitTriggerInput, required: true, description: 'What happened.' }) },
    resolve: (_root, { input }, context) => emitTrigger(context.control, actorOf(context), input),
  }),
)
