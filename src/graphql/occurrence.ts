import type { Occurrence } from '../domain/recurrence/occurrence.ts'
import { nextOccurrences } from '../domain/recurrence/occurrences.ts'
import { batched } from './batch.ts'
import { builder } from './builder.ts'
import { pageSize } from './connection.ts'
import { EventDefinition } from './definition.ts'
import { scheduled } from './projections.ts'

export const DstAdjustment = builder.enumType('DstAdjustment', {
  description: 'What daylight saving did to an occurrence.',
  values: {
    GAP: { description: 'The local time does not exist on that day; it moved forward by as much as the clocks do.' },
    OVERLAP: { description: 'The local time exists twice on that day; this is the first.' },
  },
})

export const SHIFT = 'How far a GAP moved it, in minutes; null else.'
export const LOCAL = 'The local time as authored, also where the clocks do not show it.'

export const PlannedOccurrence = builder.objectRef<Occurrence>('PlannedOccurrence').implement({
  description: 'An occurrence as a schedule has it.',
  fields: (t) => ({
    at: t.field({ type: 'DateTime', description: 'Its instant.', resolve: ({ at }) => new Date(at) }),
    local: t.expose('local', { type: 'LocalDateTime', description: LOCAL }),
    adjusted: t.field({
      type: DstAdjustment,
      nullable: true,
      description: 'What daylight saving did to it; null: nothing.',
      resolve: ({ adjusted }) => adjusted ?? null,
    }),
    shiftMinutes: t.int({
      nullable: true,
      description: SHIFT,
      resolve: ({ shiftMinutes }) => shiftMinutes ?? null,
    }),
  }),
})

builder.objectField(EventDefinition, 'nextOccurrences', (t) =>
  t.field({
    type: [PlannedOccurrence],
    description:
      'What the schedule of the current version has next, from now on: the plan, whatever became of its runs (the calendar tells). None while it is manual, paused or archived.',
    args: { first: t.arg.int({ defaultValue: 5, required: false, description: 'How many, 0 to 500.' }) },
    resolve: async ({ id }, { first }, context, info) => {
      const count = pageSize('first', first ?? 5)
      const { control } = context
      const load = async (ids: readonly string[]) =>
        new Map((await scheduled(control, { ids })).map((each) => [each.definitionId, each.timetable]))
      const timetable = await batched(context, info, load).load(id)
      return timetable === undefined ? [] : nextOccurrences(timetable.schedule, control.clock.now(), count)
    },
  }),
)
