import { TextInput } from '@mantine/core'
import { useChosen } from '../api/signal.ts'
import { textOf } from '../definitions/json.ts'
import { useDraft, useField } from './draft-context.ts'
import type { Path } from './path.ts'

const LOCAL = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?)?$/

/** A day and a time of the event's own clocks. What no such field can show is a text. */
export function LocalField({ label, path }: { label: string; path: Path }) {
  const { store } = useDraft()
  const timeZone = useChosen(store.view, ({ content }) => content.timeZone)
  const { id, value, set, told } = useField(path)
  const text = textOf(value)
  return (
    <TextInput
      id={id}
      label={label}
      description={`By the clocks of ${textOf(timeZone) || 'the event'}.`}
      withAsterisk
      {...told}
      {...(LOCAL.test(text) ? { type: 'datetime-local', ...(text.length > 16 ? { step: 1 } : {}) } : {})}
      value={text}
      onChange={(event) => set(event.currentTarget.value)}
    />
  )
}
