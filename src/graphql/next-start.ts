import { runsByIds } from '../store/node-reads.ts'
import { batched, batchedRows } from './batch.ts'
import { builder } from './builder.ts'
import { pageSize } from './connection.ts'
import { EventDefinition } from './definition.ts'
import { nextStartsOf, type NextStart as Start } from './next-starts.ts'
import { DstAdjustment, LOCAL, SHIFT } from './occurrence.ts'
import { Run } from './run.ts'

const NextStart = builder.objectRef<Start>('NextStart').implement({
  description: 'What of a definition starts next: a run that waits for its start, or what its schedule will make.',
  fields: (t) => ({
    at: t.field({ type: 'DateTime', description: 'When it starts.', resolve: ({ at }) => new Date(at) }),
    local: t.expose('local', {
      type: 'LocalDateTime',
      description: `${LOCAL} Of a run that was moved or started by hand: what the clocks of its zone show at its start.`,
    }),
    scope: t.exposeString('scope', { description: "Where it happens; '' when there is none." }),
    run: t.field({
      type: Run,
      nullable: true,
      description:
        'Its run; null where none is made yet: beyond the horizon, or in the moment before the runner makes it.',
      resolve: async ({ runId }, _args, context, info) =>
        runId === null ? null : ((await batchedRows(context, info, runsByIds).load(runId)) ?? null),
    }),
    moved: t.exposeBoolean('moved', { description: 'True: a person moved it to another instant than it had.' }),
    adjusted: t.field({
      type: DstAdjustment,
      nullable: true,
      description: 'What daylight saving did to it; null: nothing, or it was moved by a person.',
      resolve: ({ adjusted }) => adjusted,
    }),
    shiftMinutes: t.int({ nullable: true, description: SHIFT, resolve: ({ shiftMinutes }) => shiftMinutes }),
  }),
})

builder.objectField(EventDefinition, 'nextStarts', (t) =>
  t.field({
    type: [NextStart],
    description:
      'What starts next as things are, earliest first: the runs that wait for their start, by hand or by the schedule, where they were moved to, and what the schedule will make beyond the horizon. Without rehearsals, and without what a paused schedule or an unverified version holds back.',
    args: { first: t.arg.int({ defaultValue: 1, required: false, description: 'How many, 0 to 500.' }) },
    resolve: async ({ id }, { first }, context, info) => {
      const count = pageSize('first', first ?? 1)
      const load = (ids: readonly string[]) => nextStartsOf(context.control, ids, count)
      return (await batched(context, info, load).load(id)) ?? []
    },
  }),
)
