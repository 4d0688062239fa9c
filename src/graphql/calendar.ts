import { uuidOf } from '../domain/ids.ts'
import { storableData } from '../domain/storable.ts'
import { definitionsByIds, runsByIds } from '../store/node-reads.ts'
import { needs } from './access.ts'
import { batchedRows } from './batch.ts'
import { builder } from './builder.ts'
import { type Calendar, calendarItems } from './calendar-items.ts'
import { EventDefinition } from './definition.ts'
import { DstAdjustment, LOCAL, SHIFT } from './occurrence.ts'
import { found } from './payloads.ts'
import { Run } from './run.ts'

const CalendarEntry = builder.objectRef<Calendar[number]>('CalendarEntry').implement({
  description: 'An occurrence on the calendar: a run, or what a schedule will make.',
  fields: (t) => ({
    at: t.field({
      type: 'DateTime',
      description: 'When it starts, or was to start.',
      resolve: ({ item }) => new Date(item.at),
    }),
    local: t.field({
      type: 'LocalDateTime',
      description: `${LOCAL} Of a run that was moved or started by hand: what the clocks of timeZone show at its start.`,
      resolve: ({ item }) => item.local,
    }),
    timeZone: t.field({
      type: 'TimeZone',
      description: 'The zone of local.',
      resolve: ({ item }) => item.timeZone,
    }),
    definition: t.field({
      type: EventDefinition,
      description: 'What it is an occurrence of.',
      resolve: ({ item }, _args, context, info) =>
        found(
          batchedRows(context, info, definitionsByIds)
            .load(item.definitionId)
            .then((definition) => definition ?? null),
        ),
    }),
    run: t.field({
      type: Run,
      nullable: true,
      description: 'Its run; null for a projection: beyond the horizon, held unverified, or not yet made.',
      resolve: async ({ item }, _args, context, info) =>
        item.runId === null ? null : ((await batchedRows(context, info, runsByIds).load(item.runId)) ?? null),
    }),
    projected: t.boolean({
      description: 'True: no run is made of it yet.',
      resolve: ({ item }) => item.runId === null,
    }),
    adjusted: t.field({
      type: DstAdjustment,
      nullable: true,
      description: 'What daylight saving did to it; null: nothing, or it was moved by a person.',
      resolve: ({ item }) => item.adjusted,
    }),
    shiftMinutes: t.int({ nullable: true, description: SHIFT, resolve: ({ item }) => item.shiftMinutes }),
    contends: t.boolean({
      description:
        'Whether another occurrence, shown or not, needs the same concurrency key while this one waits for its start or is within its grace window.',
      resolve: ({ contendsWith }) => contendsWith.length > 0,
    }),
    contendsWith: t.field({
      type: [EventDefinition],
      description: 'The definitions of those others; its own too, where another occurrence of it contends.',
      resolve: ({ contendsWith }, _args, context, info) => {
        const loader = batchedRows(context, info, definitionsByIds)
        return Promise.all(contendsWith.map((id) => found(loader.load(id).then((definition) => definition ?? null))))
      },
    }),
  }),
})

builder.queryField('calendar', (t) =>
  t.field({
    type: [CalendarEntry],
    authScopes: needs('VIEWER'),
    description:
      'What starts from `from` until before `to`, in order: runs of any status, and what schedules will make beyond them. Superseded runs are left out. At most 400 days and 5,000 entries.',
    args: {
      from: t.arg({ type: 'DateTime', required: true, description: 'Begin of the window.' }),
      to: t.arg({ type: 'DateTime', required: true, description: 'End of the window, not part of it.' }),
      definitionId: t.arg.id({ description: 'Of this definition only.' }),
      scope: t.arg.string({ description: "In this scope only; '' for those without one, as schedules make them." }),
    },
    resolve: (_root, { from, to, definitionId, scope }, { control }) => {
      const uuid = definitionId == null ? undefined : uuidOf(definitionId, 'Definition')
      if (uuid === null) return []
      return calendarItems(control, {
        from: from.getTime(),
        to: to.getTime(),
        ...(uuid === undefined ? {} : { definitionId: uuid }),
        ...(scope == null ? {} : { scope: storableData(scope) }),
      })
    },
  }),
)
