import { z } from 'zod'
import { closedText } from '../domain/bidi.ts'
import { isObject } from '../domain/plain-object.ts'

/** What files hold of a definition: CreateDefinitionInput, without what is as it would be anyway. */
export type Form = Record<string, unknown> & { slug: string; title: string }

/** What is asked of a definition to make its form: its draft, which is what a file is applied to. */
export const DEFINITION = `{
  id slug title description timeZone graceSeconds concurrencyKey updatedAt state
  parameters { name label type required default options } draft { asInput } currentVersion { version }
}`

export const Definition = z.object({
  id: z.string(),
  slug: z.string(),
  title: z.string(),
  description: z.string().nullable(),
  timeZone: z.string(),
  graceSeconds: z.number(),
  concurrencyKey: z.string().nullable(),
  updatedAt: z.string(),
  state: z.string(),
  parameters: z.array(z.record(z.string(), z.unknown())),
  draft: z.object({ asInput: z.record(z.string(), z.unknown()) }),
  currentVersion: z.object({ version: z.number() }).nullable(),
})
export type Definition = z.infer<typeof Definition>

/** The form of a definition of the server's. */
export function formOf({ slug, title, draft, ...more }: Definition): Form {
  const { description, timeZone, graceSeconds, concurrencyKey, parameters } = more
  return formOfInput({
    slug,
    title,
    description,
    timeZone,
    graceSeconds,
    concurrencyKey,
    parameters,
    spec: draft.asInput,
  })
}

/** The form of a CreateDefinitionInput. Two that mean the same have the same form; what is no such input stays. */
export function formOfInput(input: Record<string, unknown>): Form {
  const { slug, title, description, timeZone, graceSeconds, concurrencyKey, parameters, spec, ...unknown } = input
  return {
    slug: String(slug),
    title: closedText(String(title)),
    ...without(
      { description: closed(description), timeZone, graceSeconds, concurrencyKey },
      { timeZone: 'UTC', graceSeconds: 900 },
    ),
    ...without({ parameters: mapped(parameters, parameterForm) }),
    spec: isObject(spec) ? specForm(spec) : spec,
    ...unknown,
  }
}

function parameterForm({ name, label, type, required, default: value, options, ...unknown }: Record<string, unknown>) {
  const more = without(
    { label: closed(label), type, required, default: value, options },
    { label: name, type: 'TEXT', required: false },
  )
  return { name, ...more, ...unknown }
}

function specForm({ schedule, phases, ...unknown }: Record<string, unknown>) {
  return {
    schedule: isObject(schedule) ? scheduleForm(schedule) : schedule,
    phases: mapped(phases, phaseForm),
    ...unknown,
  }
}

function scheduleForm({ recurring, ...other }: Record<string, unknown>) {
  if (!isObject(recurring)) return without({ ...other, recurring })
  const { start, rule, exclude, include, ...unknown } = recurring
  return { ...without(other), recurring: { start, rule, ...without({ exclude, include }), ...unknown } }
}

function phaseForm({ key, label, steps, advance, ...unknown }: Record<string, unknown>) {
  return {
    key,
    ...without({ label: closed(label) }),
    steps: mapped(steps, stepForm),
    ...without({ advance: gateForm(advance) }),
    ...unknown,
  }
}

function stepForm({ actionId, label, params, onFailure, ...unknown }: Record<string, unknown>) {
  const given = isObject(params) && Object.keys(params).length === 0 ? null : params
  return { actionId, ...without({ label: closed(label), params: given, onFailure }), ...unknown }
}

function gateForm(advance: unknown): unknown {
  if (!isObject(advance)) return advance
  const { after, trigger, ...unknown } = advance
  return { ...without({ after, trigger: isObject(trigger) ? without(trigger) : trigger }), ...unknown }
}

/** A text as the server keeps it. */
const closed = (text: unknown) => (typeof text === 'string' ? closedText(text) : text)

function mapped(list: unknown, form: (item: Record<string, unknown>) => unknown): unknown {
  return Array.isArray(list) ? list.map((item: unknown) => (isObject(item) ? form(item) : item)) : list
}

/** The fields that say something: neither null nor an empty list, nor what is meant where nothing is said. */
function without(fields: Record<string, unknown>, defaults: Record<string, unknown> = {}): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([name, value]) => value != null && value !== defaults[name] && !(Array.isArray(value) && value.length === 0),
    ),
  )
}
