import { closedText } from '../../domain/bidi.ts'
import type { UpdateDefinitionInput } from '../../generated/console/documents.ts'
import type { Content } from '../definitions/content.ts'
import { isObject, isSame, objectOf } from '../definitions/json.ts'

/** What has to be sent to make the one draft the other: only what differs, so that the audit log names that alone. */
export function changesOf(before: Content, after: Content): Omit<UpdateDefinitionInput, 'id' | 'ifUpdatedAt'> {
  const { schedule, phases, ...settings } = after
  const isChanged = (key: keyof Content) => JSON.stringify(before[key]) !== JSON.stringify(after[key])
  const changed = Object.entries(settings).filter(([key]) => isChanged(key as keyof Content))
  return {
    ...Object.fromEntries(changed),
    ...(isChanged('schedule') || isChanged('phases') ? { spec: { schedule, phases } } : {}),
  } as Omit<UpdateDefinitionInput, 'id' | 'ifUpdatedAt'>
}

/** Whether two drafts are the same to the server, which leaves out what says nothing. */
export const isSameDraft = (one: Content, other: Content): boolean => isSame(settled(one), settled(other))

/** A draft as the server has it once it was sent. */
export function settled({ title, description, concurrencyKey, parameters, phases, ...rest }: Content): Content {
  return {
    ...rest,
    title: typeof title === 'string' ? closedText(title).trim() : title,
    description: textOrNull(closed(description)),
    concurrencyKey: textOrNull(concurrencyKey),
    parameters: parameters.map((parameter) => {
      const { name, label, type, required, ...more } = objectOf(parameter)
      return { ...more, name, label: closed(label) ?? name, type: type ?? 'TEXT', required: required ?? false }
    }),
    phases: phases.map(labelsClosed),
  }
}

/** What was changed here, and of the rest what they have: each setting, the schedule and the phases as a whole. */
export function joined({ base, mine, theirs }: { base: Content; mine: Content; theirs: Content }): Content {
  const [old, now] = [settled(base), settled(mine)]
  const kept = Object.entries(mine).filter(([key]) => !isSame(old[key as keyof Content], now[key as keyof Content]))
  return { ...theirs, ...Object.fromEntries(kept) }
}

const closed = (text: unknown) => (typeof text === 'string' ? closedText(text) : text)

/** A phase or a step; whatever else stands there stays. */
function labelsClosed(item: unknown): unknown {
  if (!isObject(item)) return item
  const { label, steps } = item
  return {
    ...item,
    ...(label === undefined ? {} : { label: closed(label) }),
    ...(Array.isArray(steps) ? { steps: steps.map(labelsClosed) } : {}),
  }
}

const textOrNull = (text: unknown) => (typeof text === 'string' && text.trim() === '' ? null : text)
