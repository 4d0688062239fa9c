import { Textarea } from '@mantine/core'

type ReasonFieldProps = {
  value: string
  /** Which log keeps it. */
  keptIn: 'log' | 'audit log'
  isRequired: boolean
  /** It is required, and was sent without. */
  isMissing: boolean
  /** The dialog begins with it. */
  isFirst?: boolean
  onChange(reason: string): void
}

/** Asks why. */
export function ReasonField({ value, keptIn, isRequired, isMissing, isFirst = false, onChange }: ReasonFieldProps) {
  return (
    <Textarea
      label={isRequired ? 'Reason' : 'Reason (if you like)'}
      description={`Kept in the ${keptIn}, with your name.`}
      autosize
      minRows={2}
      maxRows={6}
      size="md"
      required={isRequired}
      value={value}
      error={isMissing ? `Say why: who reads the ${keptIn} later will ask.` : null}
      onChange={(event) => onChange(event.currentTarget.value)}
      data-autofocus={isFirst || undefined}
    />
  )
}
