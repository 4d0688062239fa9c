import { builder } from './builder.ts'
import { OnFailure, ParameterType } from './spec.ts'

const OnceScheduleInput = builder.inputType('OnceScheduleInput', {
  description: 'One occurrence.',
  fields: (t) => ({
    at: t.field({ type: 'LocalDateTime', required: true, description: "When, in the definition's time zone." }),
  }),
})

const RecurringScheduleInput = builder.inputType('RecurringScheduleInput', {
  description: 'Occurrences by a recurrence rule.',
  fields: (t) => ({
    start: t.field({
      type: 'LocalDateTime',
      required: true,
      description: "The first occurrence, in the definition's time zone.",
    }),
    rule: t.string({ required: true, description: 'RFC 5545 recurrence rule: `FREQ=WEEKLY;BYDAY=FR`.' }),
    exclude: t.stringList({
      description: 'Occurrences to leave out: a local date, a local date-time, or a UTC instant ending in Z.',
    }),
    include: t.stringList({
      description: 'Occurrences to add: a local date, a local date-time, or a UTC instant ending in Z.',
    }),
  }),
})

export const ScheduleInput = builder.inputType('ScheduleInput', {
  description: 'When an event occurs by itself: exactly one of these.',
  isOneOf: true,
  fields: (t) => ({
    manual: t.boolean({ description: 'True: it does not; a person or script starts each run.' }),
    once: t.field({ type: OnceScheduleInput, description: 'Once.' }),
    recurring: t.field({ type: RecurringScheduleInput, description: 'By a rule.' }),
  }),
})

const TriggerGateInput = builder.inputType('TriggerGateInput', {
  description: 'Waits until a trigger was emitted often enough.',
  fields: (t) => ({
    on: t.string({ required: true, description: 'Id of the trigger.' }),
    where: t.field({
      type: 'JSONObject',
      description:
        'Condition on the payload: all, any and not over leaves {field, op, value}. Omitted: every emission counts.',
    }),
    count: t.int({ description: 'How many matching emissions open the gate; 1 where omitted.' }),
  }),
})

const GateSpecInput = builder.inputType('GateSpecInput', {
  description: 'What a phase waits for besides its steps: exactly one of these.',
  isOneOf: true,
  fields: (t) => ({
    after: t.field({ type: 'Duration', description: 'So long since entering the phase.' }),
    trigger: t.field({ type: TriggerGateInput, description: 'A trigger.' }),
  }),
})

const StepSpecInput = builder.inputType('StepSpecInput', {
  description: 'One call of an action.',
  fields: (t) => ({
    actionId: t.string({ required: true, description: 'Id of the action: `core.wait`.' }),
    label: t.string({ description: 'Shown for the step.' }),
    params: t.field({
      type: 'JSONObject',
      description: 'What the action is called with; strings may hold {name} placeholders.',
    }),
    onFailure: t.field({ type: OnFailure, description: "Omitted: follows the action's risk." }),
  }),
})

const PhaseSpecInput = builder.inputType('PhaseSpecInput', {
  description: 'A stretch of an event.',
  fields: (t) => ({
    key: t.string({ required: true, description: 'Unique in the spec: lower-case letters, digits and -.' }),
    label: t.string({ description: 'Shown; the key where omitted.' }),
    steps: t.field({ type: [StepSpecInput], required: true, description: 'In order; up to 200.' }),
    advance: t.field({ type: GateSpecInput, description: 'What else the phase waits for.' }),
  }),
})

export const EventSpecInput = builder.inputType('EventSpecInput', {
  description: 'What an event does. It may be unfinished; what is wrong with it is listed in draftIssues.',
  fields: (t) => ({
    schedule: t.field({ type: ScheduleInput, required: true, description: 'When it occurs by itself.' }),
    phases: t.field({ type: [PhaseSpecInput], required: true, description: 'In order; 1 to 50.' }),
  }),
})

export const ParameterInput = builder.inputType('ParameterInput', {
  description: 'A value that a run asks for when it starts.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'Letters, digits and _, beginning with a letter.' }),
    label: t.string({ description: 'Shown; the name where omitted.' }),
    type: t.field({ type: ParameterType, description: 'TEXT where omitted.' }),
    required: t.boolean({ description: 'Whether a run needs a value for it; not, where omitted.' }),
    default: t.string({ description: 'The value where a run gives none, as text whatever the type.' }),
    options: t.stringList({ description: 'What a CHOICE chooses from.' }),
  }),
})
