import type { ActionRisk } from '../../generated/console/documents.ts'
import type { StepName } from '../ui/step-name.ts'
import type { Content } from './content.ts'
import { nameOfStep, stepPlace } from './issue-place.ts'
import { isObject, isSame, type JsonObject, listOf, objectOf } from './json.ts'

/** One thing that is not the same in two versions of an event. */
export type Difference = {
  /** In which part, from the whole to the part: `['Phase doors', 'step 2', 'params', 'for']`. */
  where: readonly string[]
  /** Null: it was not there. */
  before: string | null
  /** Null: it is not there any more. */
  after: string | null
}

const WORDS: Readonly<Record<string, string>> = {
  timeZone: 'time zone',
  graceSeconds: 'grace in seconds',
  concurrencyKey: 'concurrency key',
  actionId: 'action',
  onFailure: 'if it fails',
  advance: 'gate',
}

/** What has to be changed in the one to have the other, in the order of the event. */
export function differences(before: Content, after: Content, stepName: StepName): Difference[] {
  const { parameters: oldParameters, phases: oldPhases, ...old } = before
  const { parameters, phases, ...now } = after
  return [
    ...ofObjects(old, now, { where: [], stepName }),
    ...ofKeyed(oldParameters, parameters, { where: [], stepName, kind: 'Parameter', key: 'name' }),
    ...ofKeyed(oldPhases, phases, { where: [], stepName, kind: 'Phase', key: 'key' }),
  ]
}

type Place = { where: readonly string[]; stepName: StepName }

function ofValues(before: unknown, after: unknown, place: Place): Difference[] {
  const { where } = place
  if (isSame(before, after)) return []
  if (isObject(before) && isObject(after)) return ofObjects(before, after, place)
  // A schedule of another kind is told by what it says.
  if (where[0] === 'schedule' && (isObject(before) || isObject(after))) {
    return ofObjects(objectOf(before), objectOf(after), place)
  }
  return [{ where, before: shown(before), after: shown(after) }]
}

function ofObjects(before: JsonObject, after: JsonObject, place: Place): Difference[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...keys].flatMap((key) => {
    return key === 'steps'
      ? ofSteps(listOf(before[key]), listOf(after[key]), place)
      : ofValues(before[key], after[key], below(place, WORDS[key] ?? key))
  })
}

const below = ({ where, stepName }: Place, ...parts: readonly string[]): Place => ({
  where: [...where, ...parts],
  stepName,
})

type Keyed = Place & { kind: string; key: string }

/** Lists whose items have names: an item of another name is another one. */
function ofKeyed(before: readonly unknown[], after: readonly unknown[], { kind, key, ...place }: Keyed): Difference[] {
  const { where } = place
  const nameOf = (item: unknown) => String(objectOf(item)[key] ?? '')
  const names = after.map(nameOf)
  const removed = before.filter((item) => !names.includes(nameOf(item)))
  const kept = before.map(nameOf).filter((name) => names.includes(name))
  const order = names.filter((name) => kept.includes(name))
  return [
    ...removed.map((item) => ({ where: [...where, `${kind} ${nameOf(item)}`], before: summary(item), after: null })),
    ...(isSame(kept, order)
      ? []
      : [
          {
            where: [...where, `Order of the ${kind.toLowerCase()}s`],
            before: kept.join(', '),
            after: order.join(', '),
          },
        ]),
    ...after.flatMap((item) => {
      const at = below(place, `${kind} ${nameOf(item)}`)
      const old = before.find((one) => nameOf(one) === nameOf(item))
      return old === undefined
        ? [{ where: at.where, before: null, after: summary(item) }]
        : ofObjects(objectOf(old), objectOf(item), at)
    }),
  ]
}

/** Steps have no names: those that are the same in both are found first, and what lies between them is compared in order. */
function ofSteps(before: readonly unknown[], after: readonly unknown[], place: Place): Difference[] {
  const { where, stepName } = place
  const found: Difference[] = []
  let from = 0
  let to = 0
  for (const [old, now] of [...sameSteps(before, after), [before.length, after.length] as const]) {
    const left = before.slice(from, old)
    const right = after.slice(to, now)
    for (const [offset, step] of right.entries()) {
      const seq = to + offset
      const twin = left.findIndex((one) => objectOf(one).actionId === objectOf(step).actionId)
      if (twin < 0) found.push({ where: [...where, `step ${seq + 1}`], before: null, after: summary(step) })
      else {
        const at = below(place, ...stepPlace(seq, nameOfStep(step, stepName)))
        found.push(...ofObjects(objectOf(left.splice(twin, 1)[0]), objectOf(step), at))
      }
    }
    const unmatched = before.slice(from, old).filter((step) => left.includes(step))
    found.push(...unmatched.map((step) => ({ where: [...where, 'a step'], before: summary(step), after: null })))
    from = old + 1
    to = now + 1
  }
  return found
}

/** The longest run of pairs of equal steps, in order. */
function sameSteps(before: readonly unknown[], after: readonly unknown[]): (readonly [number, number])[] {
  const lengths: number[][] = Array.from({ length: before.length + 1 }, () => Array(after.length + 1).fill(0))
  const at = (old: number, now: number) => lengths[old]?.[now] ?? 0
  for (let old = before.length - 1; old >= 0; old -= 1) {
    for (let now = after.length - 1; now >= 0; now -= 1) {
      const row = lengths[old]
      if (row === undefined) continue
      row[now] = isSame(before[old], after[now])
        ? at(old + 1, now + 1) + 1
        : Math.max(at(old + 1, now), at(old, now + 1))
    }
  }
  const pairs: (readonly [number, number])[] = []
  for (let old = 0, now = 0; old < before.length && now < after.length; ) {
    if (isSame(before[old], after[now])) pairs.push([old++, now++])
    else if (at(old + 1, now) >= at(old, now + 1)) old += 1
    else now += 1
  }
  return pairs
}

/** A whole part in a few words. */
function summary(item: unknown): string {
  const { label, key, name, actionId } = objectOf(item)
  const named = [label, key ?? name ?? actionId].filter((word) => typeof word === 'string' && word !== '')
  return named.length === 0 ? (shown(item) ?? '') : [...new Set(named)].join(', ')
}

function shown(value: unknown): string | null {
  if (value == null) return null
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const FOLLOWS: Readonly<Record<ActionRisk, string>> = { NOTIFY: 'SKIP', CHANGE: 'PAUSE', IRREVERSIBLE: 'ABORT_RUN' }

/** A draft as publishing would pin it: with what is meant where the author does not say. */
export function pinned(draft: Content, actions: readonly { id: string; risk: ActionRisk }[]): Content {
  const risks = new Map(actions.map(({ id, risk }) => [id, risk]))
  const pinStep = (step: unknown) => {
    const { onFailure, ...rest } = objectOf(step)
    const risk = risks.get(String(rest.actionId))
    return { ...rest, onFailure: onFailure ?? (risk === undefined ? null : FOLLOWS[risk]) }
  }
  const pinPhase = (phase: unknown) => {
    const { key, label, steps, ...rest } = objectOf(phase)
    return { ...rest, key, label: label ?? key, steps: listOf(steps).map(pinStep) }
  }
  return { ...draft, phases: draft.phases.map(pinPhase) }
}
