import type { DraftContentFragment, VersionContentFragment } from '../../generated/console/documents.ts'
import { type JsonObject, listOf, objectOf } from './json.ts'

/** All of an event that can be written, of the names and in the shape that the paths of issues go by. */
export type Content = {
  title: unknown
  description: unknown
  timeZone: unknown
  graceSeconds: unknown
  concurrencyKey: unknown
  parameters: readonly unknown[]
  schedule: unknown
  phases: readonly unknown[]
}

export const contentOfDraft = ({ title, description, draft, ...settings }: DraftContentFragment): Content => ({
  title,
  description,
  ...settingsOf(settings),
  ...specOf(draft.asInput),
})

/** Of a version, which has no title and description of its own. */
export const contentOfVersion = ({ spec, ...settings }: VersionContentFragment): Content => ({
  title: null,
  description: null,
  ...settingsOf(settings),
  ...specOf(spec.asInput),
})

type Settings = Pick<VersionContentFragment, 'timeZone' | 'graceSeconds' | 'concurrencyKey' | 'parameters'>

const settingsOf = ({ timeZone, graceSeconds, concurrencyKey, parameters }: Settings) => ({
  timeZone,
  graceSeconds,
  concurrencyKey,
  parameters: parameters.map(({ name, label, type, required, default: value, options }) => ({
    name,
    ...(label === name ? {} : { label }),
    ...(type === 'TEXT' ? {} : { type }),
    ...(required ? { required } : {}),
    ...(value === null ? {} : { default: value }),
    ...(options === null ? {} : { options }),
  })),
})

const specOf = ({ schedule, phases }: JsonObject) => ({ schedule: objectOf(schedule), phases: listOf(phases) })
