import { objectOf, textOf } from '../definitions/json.ts'
import { valueAt } from './path.ts'

const SCHEDULE: Readonly<Record<string, string>> = {
  'once.at': 'day and time',
  'recurring.start': 'first day',
  'recurring.rule': 'rule',
  'recurring.exclude': 'left out',
  'recurring.include': 'besides',
}

/** A path of a draft for people, who count from 1 and have the form before them. */
export function placeOf(path: string, content: unknown): string {
  const [, field = '', index] = /^schedule\.(once\.at|recurring\.\w+)(?:\[(\d+)\])?$/.exec(path) ?? []
  const named = SCHEDULE[field]
  if (named !== undefined) return `Schedule › ${named}${index === undefined ? '' : ` ${Number(index) + 1}`}`
  const [whole, phase, step, rest] = /^phases\[(\d+)\](?:\.steps\[(\d+)\])?(.*)$/.exec(path) ?? []
  if (whole === undefined) return path
  const { label, key } = objectOf(valueAt(content, ['phases', Number(phase)]))
  const name = textOf(label) || textOf(key) || `Phase ${Number(phase) + 1}`
  return [
    name,
    ...(step === undefined ? [] : [`step ${Number(step) + 1}`]),
    ...(rest ? [rest.replace(/^\./, '')] : []),
  ].join(' › ')
}
