import type { Catalog } from './catalog.ts'
import type { Issue } from './issue.ts'
import { writtenPath } from './issue-path.ts'
import { paramWarnings } from './param-warnings.ts'
import { checkParameters } from './parameters.ts'
import { isObject } from './plain-object.ts'
import type { ZoneData } from './recurrence/zone-data.ts'
import { MAX_JSON_DEPTH, nestsDeeperThan } from './storable.ts'
import { hasStrayBrace, malformedPlaceholdersIn, placeholdersIn, shownKeyProblem, textPlacesIn } from './template.ts'
import { unknownKeys } from './unknown-keys.ts'
import { checkPhases } from './validate-phases.ts'
import { checkSchedule, scheduleWarnings } from './validate-schedule.ts'
import { zoneProblem } from './zone.ts'

/** Longest grace window, in seconds: a day. */
export const MAX_GRACE_SECONDS = 86_400
/** Longest title, in characters: it stands in lists and headings. */
export const MAX_TITLE = 200
/** More than anybody reads: what is beyond is counted. */
const MAX_LISTED = 1_000

/** All that the next version will hold, as a draft holds it: JSON of any shape. */
export type Draft = {
  title: unknown
  spec: unknown
  timeZone: unknown
  graceSeconds: unknown
  concurrencyKey: unknown
  parameters: unknown
}

/** What a draft is judged by: the actions and triggers there are, and when the zones change their clocks. */
export type DraftContext = { catalog: Catalog; zones: ZoneData }

/** Issues stand against publishing; warnings are allowed but odd. */
export type DraftFindings = { issues: Issue[]; warnings: Issue[] }

/**
 * Everything that is wrong with a draft, all at once. Paths are those of the API's inputs, the spec's without a prefix:
 * `timeZone`, `parameters[0].name`, `schedule.once.at`, `phases[1].steps[0].params.count`. Never throws. Of more than
 * 1,000 issues or warnings the last one listed says how many there are.
 */
export function validateDraft(draft: Draft, { catalog, zones }: DraftContext): DraftFindings {
  const spec = isObject(draft.spec) ? draft.spec : {}
  const { schedule, phases } = spec
  const place = { timeZone: draft.timeZone, zones }
  const issues = [
    ...checkTitle(draft.title),
    ...checkSettings(draft),
    ...checkParameters(draft.parameters),
    ...unknownKeys(spec, { path: '', known: ['schedule', 'phases'] }),
    ...checkSchedule(schedule, place),
    ...checkDefaults(schedule, draft.parameters),
    ...checkPhases(phases, catalog),
  ]
  const warnings = [
    ...keyWarnings(draft),
    ...scheduleWarnings(schedule, place),
    ...placeholderWarnings(phases, parameterNames(draft.parameters)),
    ...paramWarnings(phases, catalog),
  ]
  return { issues: bounded(issues), warnings: bounded(warnings) }
}

function bounded(found: Issue[]): Issue[] {
  const next = found[MAX_LISTED - 1]
  if (found.length <= MAX_LISTED || next === undefined) return found
  const rest = found.length - MAX_LISTED + 1
  const message = `There are ${rest} more from here on; solve these first, and the others are listed.`
  return [...found.slice(0, MAX_LISTED - 1), { path: next.path, message }]
}

function checkTitle(title: unknown): Issue[] {
  if (typeof title !== 'string' || title.trim() === '') {
    return [{ path: 'title', message: 'The title must be a text that is not empty; give the event a name.' }]
  }
  const length = [...title].length
  const message = `The title may have at most ${MAX_TITLE} characters, and has ${length}; shorten it, and put the rest into the description.`
  return length > MAX_TITLE ? [{ path: 'title', message }] : []
}

function checkSettings({ timeZone, graceSeconds, concurrencyKey }: Draft): Issue[] {
  const issues: Issue[] = []
  const zone = zoneProblem(typeof timeZone === 'string' ? timeZone : '')
  if (zone !== null) issues.push({ path: 'timeZone', message: zone })
  const grace = typeof graceSeconds === 'number' && Number.isInteger(graceSeconds) ? graceSeconds : -1
  if (grace < 0 || grace > MAX_GRACE_SECONDS) {
    const message = `The grace window must be a whole number of seconds from 0 to ${MAX_GRACE_SECONDS}, which is a day.`
    issues.push({ path: 'graceSeconds', message })
  }
  const key = concurrencyKey === null ? null : keyTemplateProblem(concurrencyKey)
  if (key !== null) issues.push({ path: 'concurrencyKey', message: `The concurrency key ${key}` })
  return issues
}

function keyTemplateProblem(template: unknown): string | null {
  if (typeof template !== 'string' || template.trim() === '') {
    return 'must be a text that is not empty; leave it out where runs may overlap.'
  }
  // A placeholder without a value stays as it is, so that the template itself has to fit.
  const problem = shownKeyProblem(template)
  if (problem !== null) return problem
  return hasStrayBrace(template) ? "must hold braces only around a parameter's name, like {region}; correct it." : null
}

/** Nobody is there to ask when a schedule starts a run. */
function checkDefaults(schedule: unknown, parameters: unknown): Issue[] {
  const isScheduled = isObject(schedule) && !Object.hasOwn(schedule, 'manual')
  if (!isScheduled || !Array.isArray(parameters)) return []
  return parameters.flatMap((parameter: unknown, index) => {
    const open = isObject(parameter) && parameter.required === true && (parameter.default ?? '') === ''
    const message =
      'A required parameter needs a default where a schedule starts the runs, since nobody is there to ask.'
    return open ? [{ path: `parameters[${index}].default`, message }] : []
  })
}

function keyWarnings({ concurrencyKey, parameters }: Draft): Issue[] {
  const names = parameterNames(parameters)
  return placeholdersIn(typeof concurrencyKey === 'string' ? concurrencyKey : null)
    .filter((name) => !names.has(name))
    .map((name) => ({
      path: 'concurrencyKey',
      message: `{${name}} is no parameter and stays in the key as it is, so that all runs share one key; correct it or add the parameter.`,
    }))
}

const parameterNames = (parameters: unknown): ReadonlySet<unknown> =>
  new Set(Array.isArray(parameters) ? parameters.map((one: unknown) => (isObject(one) ? one.name : undefined)) : [])

/** What stays in a text as it is: an unknown name in braces, or what looks like a placeholder, which a text may well hold. */
function placeholderWarnings(phases: unknown, names: ReadonlySet<unknown>): Issue[] {
  if (!Array.isArray(phases)) return []
  return phases.flatMap((phase: unknown, index) => {
    const steps: unknown[] = isObject(phase) && Array.isArray(phase.steps) ? phase.steps : []
    return steps.flatMap((step, seq) => {
      const params = isObject(step) ? step.params : null
      if (nestsDeeperThan(params, MAX_JSON_DEPTH)) return []
      return textPlacesIn(params).flatMap(({ keys, text }) => {
        const path = writtenPath(keys, `phases[${index}].steps[${seq}].params`)
        const unknown = placeholdersIn(text).filter((name) => !names.has(name))
        return [
          ...unknown.map((name) => ({
            path,
            message: `{${name}} is no parameter and stays as it is, a visible mistake; correct it or add the parameter.`,
          })),
          ...malformedPlaceholdersIn(text).map((malformed) => ({
            path,
            message: `${JSON.stringify(malformed)} is no placeholder and stays as it is; a placeholder is a parameter's name in braces, like {region}.`,
          })),
        ]
      })
    })
  })
}
