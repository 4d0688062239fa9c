import { openCues } from '../store/cue-reads.ts'
import { needs } from './access.ts'
import { builder } from './builder.ts'
import { Step } from './step.ts'
import { ActorRef, actorFrom } from './viewer.ts'

/** A cue is a step seen as what it asks of a person. */
export const Cue = builder.prismaNode('Step', {
  variant: 'Cue',
  id: { field: 'id', description: "cue_<uuid>; the UUID is the step's." },
  description: 'A step that posted an instruction and waits for a person.',
  fields: (t) => ({
    step: t.variant(Step, { description: 'The step.' }),
    run: t.relation('run', { description: 'The run that waits.' }),
    instruction: t.string({
      description: 'What to do.',
      resolve: ({ instruction, label, actionId }) => instruction ?? label ?? actionId,
    }),
    parkedAt: t.field({
      type: 'DateTime',
      description: 'Since when it waits.',
      resolve: ({ id, parkedAt }) => {
        if (parkedAt === null) throw new Error(`step ${id} is shown as a cue and was never parked`)
        return parkedAt
      },
    }),
    claimedBy: t.field({
      type: ActorRef,
      nullable: true,
      description: 'Who said "I have it"; null: nobody yet.',
      resolve: ({ cueClaimedByKind, cueClaimedByName }) => actorFrom(cueClaimedByKind, cueClaimedByName),
    }),
    claimedAt: t.expose('cueClaimedAt', { type: 'DateTime', nullable: true, description: 'When they said so.' }),
  }),
})

builder.prismaObjectField(Step, 'cue', (t) =>
  t.variant(Cue, {
    description: 'The cue while it waits for a person; null otherwise.',
    isNull: ({ parked }) => !parked,
  }),
)

builder.queryField('cues', (t) =>
  t.prismaField({
    type: [Cue],
    authScopes: needs('VIEWER'),
    description: 'Cues waiting for a person, oldest first.',
    args: { scope: t.arg.string({ description: "Of runs in this scope, '' too; of all where omitted." }) },
    resolve: (query, _root, { scope }, { control }) => openCues(control.db, { scope: scope ?? null, query }),
  }),
)
