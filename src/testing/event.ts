import { readFile } from 'node:fs/promises'
import type { ControlContext } from '../controls/context.ts'
import {
  type CreateDefinitionInput,
  createDefinition,
  publishDefinition,
  updateDefinition,
} from '../controls/definitions.ts'
import type { Actor } from '../domain/actor.ts'
import { failureOf } from '../domain/failure.ts'
import { isObject } from '../domain/plain-object.ts'
import { unknownKeys } from '../domain/unknown-keys.ts'
import { validateDraft } from '../domain/validate-draft.ts'
import { granted, Refused } from './refused.ts'

/** An event as the API's createDefinition takes it. */
export type EventInput = CreateDefinitionInput

const KEYS = [
  'slug',
  'title',
  'description',
  'timeZone',
  'graceSeconds',
  'concurrencyKey',
  'parameters',
  'spec',
] as const satisfies (keyof EventInput)[]

/** Reads an event from a JSON file, where it is not given as it is. Throws a sentence that names the file. */
export async function readEvent(event: EventInput | string | URL): Promise<EventInput> {
  const given: unknown = typeof event === 'string' || event instanceof URL ? await readJson(event) : event
  if (!isEventLike(given)) {
    throw new Error('An event must be an object with slug, title and spec, or the path of a JSON file that holds one.')
  }
  return given
}

// What else is wrong is a matter of the draft, whose issues say where.
function isEventLike(given: unknown): given is EventInput {
  return isObject(given) && typeof given.slug === 'string' && typeof given.title === 'string'
}

async function readJson(file: string | URL): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    throw new Error(`The event in ${String(file)} cannot be read; give the path of a JSON file: ${failureOf(error)}`, {
      cause: error,
    })
  }
}

/**
 * Publishes an event, as a new version where one of its slug is there. Throws `Refused` with every issue of its draft.
 * Answers the definition's bare UUID.
 */
export async function publishEvent(
  ctx: ControlContext,
  actor: Actor,
  { event, known }: { event: EventInput; known: string | undefined },
): Promise<string> {
  const what = `The event "${event.slug}" cannot be published`
  const { slug, title, spec } = event
  // The definition's defaults, so that an event played again has nothing left of the version before.
  const settings = {
    timeZone: event.timeZone ?? 'UTC',
    graceSeconds: event.graceSeconds ?? 900,
    concurrencyKey: event.concurrencyKey ?? null,
    parameters: event.parameters ?? [],
  }
  // Before it is saved: what does not even have the form that the API's types give it must not get there.
  const found = validateDraft({ title, spec, ...settings }, ctx)
  const issues = [...unknownKeys({ ...event }, { path: '', known: KEYS }), ...found.issues]
  if (issues.length > 0) throw new Refused(what, { error: 'INVALID_INPUT', message: '', issues })
  const content = { title, description: event.description ?? null, ...settings, spec }
  const { definitionId } = granted(
    what,
    known === undefined
      ? await createDefinition(ctx, actor, { slug, ...content })
      : await updateDefinition(ctx, actor, { id: known, ...content }),
  )
  granted(what, await publishDefinition(ctx, actor, { id: definitionId }))
  return definitionId
}
