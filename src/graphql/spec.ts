import { parseCondition, phraseOf } from '../domain/condition.ts'
import { schedulePhrase } from '../domain/recurrence/phrase.ts'
import { builder } from './builder.ts'
import { numberOrNull, objectOf, objectOrNull, objectsOf, textOf, textOrNull, textsOf } from './stored-json.ts'

type Json = Record<string, unknown>

export const OnFailure = builder.enumType('OnFailure', {
  description: 'What happens to the run when a step has failed for good or was refused.',
  values: {
    SKIP: { description: 'The run goes on with the next step.' },
    PAUSE: { description: 'The run is paused until a person resumes it.' },
    ABORT_RUN: { description: 'The run fails; what was still pending is cancelled.' },
  },
})

const ON_FAILURE = ['SKIP', 'PAUSE', 'ABORT_RUN'] as const

const ManualSchedule = builder.objectRef<Json>('ManualSchedule').implement({
  description: 'No schedule: a person or script starts each run.',
  fields: (t) => ({
    manual: t.boolean({ description: 'True; false in a draft is an issue.', resolve: ({ manual }) => manual === true }),
  }),
})

const OnceSchedule = builder.objectRef<Json>('OnceSchedule').implement({
  description: 'One occurrence.',
  fields: (t) => ({
    at: t.field({
      type: 'LocalDateTime',
      description: "When, in the definition's time zone.",
      resolve: ({ once }) => textOf(objectOf(once).at),
    }),
  }),
})

const RecurringSchedule = builder.objectRef<Json>('RecurringSchedule').implement({
  description:
    'Occurrences by a recurrence rule. Entries of exclude and include: a local date, a local date-time, or a UTC instant ending in Z.',
  fields: (t) => ({
    start: t.field({
      type: 'LocalDateTime',
      description:
        "From when on, in the definition's time zone: what the rule counts from, and its time of day. It is an occurrence where it fits the rule.",
      resolve: ({ recurring }) => textOf(objectOf(recurring).start),
    }),
    rule: t.string({
      description: 'RFC 5545 recurrence rule: `FREQ=WEEKLY;BYDAY=FR`.',
      resolve: ({ recurring }) => textOf(objectOf(recurring).rule),
    }),
    exclude: t.stringList({
      description: 'Occurrences of the rule that are left out.',
      resolve: ({ recurring }) => textsOf(objectOf(recurring).exclude),
    }),
    include: t.stringList({
      description: 'Occurrences besides those of the rule.',
      resolve: ({ recurring }) => textsOf(objectOf(recurring).include),
    }),
    phrase: t.string({
      nullable: true,
      description:
        'The rule in English: "every 2 weeks on Tuesday and Thursday at 20:00". Null where it is not in order; exclude and include are not in it.',
      resolve: schedulePhrase,
    }),
  }),
})

const Schedule = builder.unionType('Schedule', {
  description: 'When an event occurs by itself.',
  types: [ManualSchedule, OnceSchedule, RecurringSchedule],
  resolveType: (schedule) =>
    Object.hasOwn(schedule, 'once')
      ? OnceSchedule
      : Object.hasOwn(schedule, 'recurring')
        ? RecurringSchedule
        : ManualSchedule,
})

const AfterGateSpec = builder.objectRef<Json>('AfterGateSpec').implement({
  description: 'The phase lasts at least so long.',
  fields: (t) => ({
    after: t.field({
      type: 'Duration',
      description: 'Counted from entering the phase.',
      resolve: ({ after }) => textOf(after),
    }),
  }),
})

/** A condition in words; null where there is none or it is not in order. */
export function conditionPhrase(where: unknown): string | null {
  if (where === null || where === undefined) return null
  const parsed = parseCondition(where, 'where')
  return parsed.ok ? phraseOf(parsed.condition) : null
}

const TriggerGateSpec = builder.objectRef<Json>('TriggerGateSpec').implement({
  description: 'The phase lasts until a trigger was emitted often enough.',
  fields: (t) => ({
    on: t.string({ description: 'Id of the trigger.', resolve: ({ trigger }) => textOf(objectOf(trigger).on) }),
    where: t.field({
      type: 'JSONObject',
      nullable: true,
      description: "Condition on the trigger's payload; null: every emission counts.",
      resolve: ({ trigger }) => objectOrNull(objectOf(trigger).where),
    }),
    count: t.int({
      description: 'How many matching emissions open the gate.',
      resolve: ({ trigger }) => numberOrNull(objectOf(trigger).count) ?? 1,
    }),
    phrase: t.string({
      nullable: true,
      description:
        'The condition in English: "boss is Balron and level is at least 5". Null without one, or where it is not in order.',
      resolve: ({ trigger }) => conditionPhrase(objectOf(trigger).where),
    }),
  }),
})

const GateSpec = builder.unionType('GateSpec', {
  description: 'What a phase waits for besides its steps.',
  types: [AfterGateSpec, TriggerGateSpec],
  resolveType: (gate) => (Object.hasOwn(gate, 'trigger') ? TriggerGateSpec : AfterGateSpec),
})

const StepSpec = builder.objectRef<Json>('StepSpec').implement({
  description: 'One call of an action, as authored.',
  fields: (t) => ({
    actionId: t.string({ description: 'Id of the action: `core.wait`.', resolve: ({ actionId }) => textOf(actionId) }),
    actionVersion: t.int({
      nullable: true,
      description: 'The version of the action that publishing pinned; null in a draft.',
      resolve: ({ actionVersion }) => numberOrNull(actionVersion),
    }),
    label: t.string({ nullable: true, description: 'Shown for the step.', resolve: ({ label }) => textOrNull(label) }),
    params: t.field({
      type: 'JSONObject',
      description: "What the action is called with; strings may hold {name} placeholders of the run's params.",
      resolve: ({ params }) => objectOf(params),
    }),
    onFailure: t.field({
      type: OnFailure,
      nullable: true,
      description: "Null in a draft: follows the action's risk. Always set in a version.",
      resolve: ({ onFailure }) => ON_FAILURE.find((value) => value === onFailure) ?? null,
    }),
  }),
})

const PhaseSpec = builder.objectRef<Json>('PhaseSpec').implement({
  description: 'A stretch of an event: its steps in order, and what it waits for besides them.',
  fields: (t) => ({
    key: t.string({ description: 'Unique in the spec.', resolve: ({ key }) => textOf(key) }),
    label: t.string({
      description: 'Shown; the key where none was given.',
      resolve: ({ key, label }) => textOrNull(label) ?? textOf(key),
    }),
    steps: t.field({
      type: [StepSpec],
      description: 'In order; strictly one after another.',
      resolve: ({ steps }) => objectsOf(steps),
    }),
    advance: t.field({
      type: GateSpec,
      nullable: true,
      description: 'What else the phase waits for; null: nothing but its steps.',
      resolve: ({ advance }) => objectOrNull(advance),
    }),
  }),
})

/** A spec as the database holds it, of a draft or of a version. */
export const EventSpec = builder.objectRef<Json>('EventSpec').implement({
  description: 'What an event does: one schedule and an ordered list of phases.',
  fields: (t) => ({
    schedule: t.field({
      type: Schedule,
      description: 'When it occurs by itself.',
      resolve: ({ schedule }) => objectOf(schedule),
    }),
    phases: t.field({ type: [PhaseSpec], description: 'In order.', resolve: ({ phases }) => objectsOf(phases) }),
    asInput: t.field({
      type: 'JSONObject',
      description: 'The same as EventSpecInput takes it, for editors and files.',
      resolve: asInput,
    }),
  }),
})

/** A spec as EventSpecInput takes it: without what publishing pinned, and without what is not set. */
export function asInput(spec: Json): Json {
  return {
    schedule: objectOf(spec.schedule),
    phases: objectsOf(spec.phases).map(({ key, label, steps, advance }) => ({
      key,
      ...given({ label }),
      steps: objectsOf(steps).map(({ actionId, label, params, onFailure }) => ({
        actionId,
        ...given({ label, params, onFailure }),
      })),
      ...given({ advance }),
    })),
  }
}

const given = (fields: Json): Json =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined))

export const ParameterType = builder.enumType('ParameterType', {
  description: 'What a parameter takes.',
  values: {
    TEXT: { description: 'Any text.' },
    INTEGER: { description: 'A whole number.' },
    NUMBER: { description: 'A number.' },
    BOOLEAN: { description: 'True or false.' },
    CHOICE: { description: 'One of its options.' },
  },
})

const PARAMETER_TYPES = ['TEXT', 'INTEGER', 'NUMBER', 'BOOLEAN', 'CHOICE'] as const

/** A parameter as the database holds it. */
export const Parameter = builder.objectRef<Json>('Parameter').implement({
  description: 'A value that a run asks for when it starts, usable as {name} in params and in the concurrency key.',
  fields: (t) => ({
    name: t.string({
      description: 'Letters, digits and _, beginning with a letter.',
      resolve: ({ name }) => textOf(name),
    }),
    label: t.string({
      description: 'Shown; the name where none was given.',
      resolve: ({ name, label }) => textOrNull(label) ?? textOf(name),
    }),
    type: t.field({
      type: ParameterType,
      description: 'What it takes.',
      resolve: ({ type }) => PARAMETER_TYPES.find((value) => value === type) ?? 'TEXT',
    }),
    required: t.boolean({
      description: 'Whether a run needs a value for it.',
      resolve: ({ required }) => required === true,
    }),
    default: t.string({
      nullable: true,
      description: 'The value where a run gives none, written as text whatever the type.',
      resolve: (parameter) => textOrNull(parameter.default),
    }),
    options: t.stringList({
      nullable: true,
      description: 'What a CHOICE chooses from; null for other types.',
      resolve: ({ options }) => (Array.isArray(options) ? textsOf(options) : null),
    }),
  }),
})
