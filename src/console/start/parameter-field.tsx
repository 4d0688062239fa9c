import { NativeSelect, TextInput } from '@mantine/core'
import type { StartParameterFragment } from '../../generated/console/documents.ts'

type ParameterFieldProps = {
  parameter: StartParameterFragment
  /** As text, whatever the type; empty: not given. */
  value: string
  error: string | null
  onChange(value: string): void
}

/** One parameter of a run. What is left empty is not sent, and so takes the default. */
export function ParameterField({ parameter, value, error, onChange }: ParameterFieldProps) {
  const { name, label, type, required, default: preset } = parameter
  const shared = {
    label,
    size: 'md',
    value,
    error,
    required: required && preset === null,
    name,
  } as const
  const choices = choicesOf(parameter)
  if (choices !== null) {
    const empty = preset === null ? (required ? 'Choose one' : 'Not given') : `${preset} (the default)`
    return (
      <NativeSelect
        {...shared}
        data={[{ value: '', label: empty }, ...choices.filter((choice) => choice !== preset)]}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    )
  }
  return (
    <TextInput
      {...shared}
      description={describe(parameter)}
      placeholder={preset ?? ''}
      inputMode={type === 'INTEGER' ? 'numeric' : type === 'NUMBER' ? 'decimal' : 'text'}
      autoComplete="off"
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

function describe({ type, default: preset }: StartParameterFragment): string | null {
  const kind = type === 'INTEGER' ? 'A whole number.' : type === 'NUMBER' ? 'A number.' : ''
  const empty = preset === null || preset === '' ? '' : `Left empty, it is ${preset}.`
  return `${kind} ${empty}`.trim() || null
}

function choicesOf({ type, options }: StartParameterFragment): readonly string[] | null {
  if (type === 'BOOLEAN') return ['true', 'false']
  return type === 'CHOICE' ? (options ?? []) : null
}
