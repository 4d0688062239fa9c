import { TextInput } from '@mantine/core'

type DayRangeProps = {
  /** Days as YYYY-MM-DD of this device; undefined: from ever on, for ever. */
  from: string | undefined
  to: string | undefined
  /** Told the one that changes; empty where it was cleared. */
  onChange(change: { from: string } | { to: string }): void
}

/** Asks for the days between which something was, both taken in. */
export function DayRange({ from = '', to = '', onChange }: DayRangeProps) {
  return (
    <>
      <TextInput
        label="From"
        type="date"
        value={from}
        onChange={(event) => onChange({ from: event.currentTarget.value })}
      />
      <TextInput label="To" type="date" value={to} onChange={(event) => onChange({ to: event.currentTarget.value })} />
    </>
  )
}
