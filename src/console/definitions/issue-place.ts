import type { StepName } from '../ui/step-name.ts'
import type { Content } from './content.ts'
import { listOf, objectOf, textOf } from './json.ts'

const SCHEDULE: Readonly<Record<string, string>> = {
  'once.at': 'day and time',
  'recurring.start': 'first day',
  'recurring.rule': 'rule',
  'recurring.exclude': 'left out',
  'recurring.include': 'besides',
}

/** A path of a draft, from the whole to the part, for people, who count from 1 and know phases and steps by what they are called. */
export function placeOf(path: string, { phases }: Pick<Content, 'phases'>, stepName: StepName): string[] {
  const [, field = '', index] = /^schedule\.(once\.at|recurring\.\w+)(?:\[(\d+)\])?$/.exec(path) ?? []
  const named = SCHEDULE[field]
  if (named !== undefined) return ['Schedule', `${named}${index === undefined ? '' : ` ${Number(index) + 1}`}`]
  const [whole, at, seq, rest] = /^phases\[(\d+)\](?:\.steps\[(\d+)\])?(.*)$/.exec(path) ?? []
  if (whole === undefined) return [path]
  const { label, key, steps } = objectOf(phases[Number(at)])
  return [
    textOf(label) || textOf(key) || `Phase ${Number(at) + 1}`,
    ...(seq === undefined ? [] : stepPlace(Number(seq), nameOfStep(listOf(steps)[Number(seq)], stepName))),
    ...(rest ? [rest.replace(/^\./, '')] : []),
  ]
}

/** Where a step is in its phase, from the place that people count to what it is called, if it is called anything. */
export const stepPlace = (seq: number, name: string): string[] => [`step ${seq + 1}`, ...(name === '' ? [] : [name])]

/** What a step of a draft, which may be anything, is called; empty where nothing says it. */
export function nameOfStep(step: unknown, stepName: StepName): string {
  const { label, actionId } = objectOf(step)
  return stepName({ label: textOf(label), actionId: textOf(actionId) })
}
