import { Text, TextInput } from '@mantine/core'
import { Instant } from '../time/instant.tsx'
import { fromLocalField, localOddity } from '../time/local-field.ts'
import classes from './ui.module.css'

type InstantFieldProps = {
  label: string
  description?: string
  /** As a field of type datetime-local holds it: the clock of this device. */
  value: string
  /** The instant that it was filled with; null: it was empty. */
  filled: string | null
  /** Of the event; null: it is about none. */
  zone: string | null
  error?: string | null
  onChange(value: string): void
  /** It is what a dialog that opens begins with. */
  hasFocus?: boolean
}

/** Asks for an instant by the clock of this device, and shows what the event's clock says then. */
export function InstantField({
  label,
  description,
  value,
  filled,
  zone,
  error = null,
  onChange,
  hasFocus = false,
}: InstantFieldProps) {
  const chosen = fromLocalField(value, filled)
  const oddity = chosen === null ? null : localOddity(value, chosen)
  return (
    <div>
      <TextInput
        type="datetime-local"
        step={1}
        label={label}
        description={description ?? 'In the time zone of this device.'}
        size="md"
        value={value}
        error={error}
        onChange={(event) => onChange(event.currentTarget.value)}
        data-autofocus={hasFocus || undefined}
      />
      {chosen !== null && (
        <Text fz="sm" c="dimmed" mt={4} className={classes.chosen}>
          <Instant at={chosen} zone={zone} />
        </Text>
      )}
      {oddity !== null && (
        <Text fz="sm" mt={4} role="status">
          {oddity}
        </Text>
      )}
    </div>
  )
}
