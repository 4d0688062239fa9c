import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { closedText } from './bidi.ts'
import type { Catalog, Risk } from './catalog.ts'
import { normaliseParameter, type Parameter, type ParameterInput } from './parameters.ts'
import { isObject } from './plain-object.ts'
import type { OnFailure } from './step.ts'

type Maybe<T> = T | null | undefined
type JsonObject = Record<string, unknown>

/** A spec as it is sent (the API's EventSpecInput). Of schedule's and of advance's fields exactly one is set. */
export type EventSpecInput = {
  schedule: ScheduleInput
  phases: readonly PhaseSpecInput[]
}
export type ScheduleInput = {
  manual?: Maybe<boolean>
  once?: Maybe<{ at: string }>
  recurring?: Maybe<{
    start: string
    rule: string
    exclude?: Maybe<readonly string[]>
    include?: Maybe<readonly string[]>
  }>
}
export type PhaseSpecInput = {
  key: string
  label?: Maybe<string>
  steps: readonly StepSpecInput[]
  advance?: Maybe<GateSpecInput>
}
export type StepSpecInput = {
  actionId: string
  label?: Maybe<string>
  params?: Maybe<JsonObject>
  onFailure?: Maybe<OnFailure>
}
export type GateSpecInput = {
  after?: Maybe<string>
  trigger?: Maybe<{ on: string; where?: Maybe<JsonObject>; count?: Maybe<number> }>
}

// Objects from outside are kept as they are, whatever their keys are named.
const jsonObject = z.custom<JsonObject>(isObject)

const schedule = z.union([
  z.object({ manual: z.boolean() }),
  z.object({ once: z.object({ at: z.string() }) }),
  z.object({
    recurring: z.object({
      start: z.string(),
      rule: z.string(),
      exclude: z.array(z.string()),
      include: z.array(z.string()),
    }),
  }),
])
const gate = z.union([
  z.object({ after: z.string() }),
  z.object({ trigger: z.object({ on: z.string(), where: jsonObject.optional(), count: z.number().optional() }) }),
])
const onFailure = z.enum(['SKIP', 'PAUSE', 'ABORT_RUN'])

const versionPhase = z.object({
  key: z.string(),
  label: z.string(),
  steps: z.array(
    z.object({
      actionId: z.string(),
      actionVersion: z.number(),
      label: z.string().optional(),
      params: jsonObject,
      onFailure,
    }),
  ),
  advance: gate.optional(),
})
const versionSpec = z.object({ schedule, phases: z.array(versionPhase) })

/** A spec as a version holds it: each step's action version and disposition are pinned, each phase has a label. */
export type VersionSpec = z.infer<typeof versionSpec>
export type VersionPhase = z.infer<typeof versionPhase>
export type VersionStep = VersionPhase['steps'][number]
export type Schedule = VersionSpec['schedule']
/** A spec as a draft holds it: what was sent, without what is not set. It may be unfinished. */
export type DraftSpec = {
  schedule: Schedule
  phases: {
    key: string
    label?: string
    steps: { actionId: string; label?: string; params: JsonObject; onFailure?: OnFailure }[]
    advance?: VersionPhase['advance']
  }[]
}

const specInput = z.object({
  schedule: z.object({
    manual: z.boolean().nullish(),
    once: z.object({ at: z.string() }).nullish(),
    recurring: z
      .object({
        start: z.string(),
        rule: z.string(),
        exclude: z.array(z.string()).nullish(),
        include: z.array(z.string()).nullish(),
      })
      .nullish(),
  }),
  phases: z.array(
    z.object({
      key: z.string(),
      label: z.string().nullish(),
      steps: z.array(
        z.object({
          actionId: z.string(),
          label: z.string().nullish(),
          params: jsonObject.nullish(),
          onFailure: onFailure.nullish(),
        }),
      ),
      advance: z
        .object({
          after: z.string().nullish(),
          trigger: z.object({ on: z.string(), where: jsonObject.nullish(), count: z.number().nullish() }).nullish(),
        })
        .nullish(),
    }),
  ),
}) satisfies z.ZodType<EventSpecInput>

/** All that a version is made of. */
export type Publishable<Spec = VersionSpec> = {
  spec: Spec
  timeZone: string
  graceSeconds: number
  concurrencyKey: string | null
  parameters: Parameter[]
}

/** What was sent, as a draft holds it: fields that are null or not set are left out, lists and params are there. */
export function normaliseSpec(input: EventSpecInput): DraftSpec {
  return {
    schedule: normaliseSchedule(input.schedule),
    phases: input.phases.map(({ key, label, steps, advance }) => ({
      key,
      ...given({ label: closedOf(label) }),
      steps: steps.map(({ actionId, label, params, onFailure }) => ({
        actionId,
        ...given({ label: closedOf(label), onFailure }),
        params: params ?? {},
      })),
      ...(advance == null ? {} : { advance: normaliseGate(advance) }),
    })),
  }
}

const closedOf = (label: Maybe<string>) => (label == null ? label : closedText(label))

export function normaliseSchedule({ manual, once, recurring }: ScheduleInput): Schedule {
  if (once != null) return { once: { at: once.at } }
  if (recurring != null) {
    const { start, rule, exclude, include } = recurring
    return { recurring: { start, rule, exclude: [...(exclude ?? [])], include: [...(include ?? [])] } }
  }
  return { manual: manual ?? false }
}

function normaliseGate({ after, trigger }: GateSpecInput): z.infer<typeof gate> {
  if (trigger == null) return { after: after ?? '' }
  return { trigger: { on: trigger.on, ...given({ where: trigger.where, count: trigger.count }) } }
}

type Given<T> = { [K in keyof T]?: NonNullable<T[K]> }

/** The fields that hold something. */
function given<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null)) as Given<T>
}

/** A draft's spec as the database holds it; null where it cannot be read. */
export function parseDraftSpec(json: unknown): DraftSpec | null {
  const { data } = specInput.safeParse(json)
  return data === undefined ? null : normaliseSpec(data)
}

/** A schedule of a draft or version as the database holds it; null where it cannot be read. */
export function parseSchedule(json: unknown): Schedule | null {
  const { data } = specInput.shape.schedule.safeParse(json)
  return data === undefined ? null : normaliseSchedule(data)
}

/** A version's spec as the database holds it; null where it cannot be read. */
export function parseVersionSpec(json: unknown): VersionSpec | null {
  return versionSpec.safeParse(json).data ?? null
}

const storedParameters = z.array(
  z.object({
    name: z.string(),
    label: z.string().nullish(),
    type: z.enum(['TEXT', 'INTEGER', 'NUMBER', 'BOOLEAN', 'CHOICE']).nullish(),
    required: z.boolean().nullish(),
    default: z.string().nullish(),
    options: z.array(z.string()).nullish(),
  }),
) satisfies z.ZodType<ParameterInput[]>

/** The schedule of a version as the database holds it; null where it cannot be read. */
export function parseVersionSchedule(json: unknown): Schedule | null {
  return schedule.safeParse(json).data ?? null
}

/** A phase of a version as the database holds it; null where it cannot be read. */
export function parseVersionPhase(json: unknown): VersionPhase | null {
  return versionPhase.safeParse(json).data ?? null
}

/** The parameters of a draft or version as the database holds them. Throws where they cannot be read. */
export function parseParameters(json: unknown): Parameter[] {
  return storedParameters.parse(json).map(normaliseParameter)
}

/** What a failure of a step does to its run where the author does not say. */
export const DEFAULT_ON_FAILURE: Record<Risk, OnFailure> = {
  NOTIFY: 'SKIP',
  CHANGE: 'PAUSE',
  IRREVERSIBLE: 'ABORT_RUN',
}

/** The spec that publishing a draft makes. The draft has no issues: throws where an action is not registered. */
export function pinSpec(draft: DraftSpec, catalog: Catalog): VersionSpec {
  return {
    schedule: draft.schedule,
    phases: draft.phases.map((phase) => ({
      ...phase,
      label: phase.label ?? phase.key,
      steps: phase.steps.map((step) => {
        const action = catalog.action(step.actionId)
        if (action === undefined)
          throw new Error(`${step.actionId} is not registered; a draft is checked before it is pinned`)
        return { ...step, actionVersion: action.version, onFailure: step.onFailure ?? DEFAULT_ON_FAILURE[action.risk] }
      }),
    })),
  }
}

/** Whether two versions, or two drafts, would hold the same, whatever the order of their keys. */
export function draftEquals<Spec>(a: Publishable<Spec>, b: Publishable<Spec>): boolean {
  return isDeepStrictEqual(a, b)
}
