import { Autocomplete, NativeSelect } from '@mantine/core'
import { listOf, textOf } from '../definitions/json.ts'
import classes from './draft.module.css'
import { useField } from './draft-context.ts'
import { ParsedInput } from './parsed-field.tsx'
import type { Path } from './path.ts'
import type { FieldSchema, PayloadField } from './schema.ts'

const OPS = [
  { value: 'EQ', label: 'is' },
  { value: 'NEQ', label: 'is not' },
  { value: 'GT', label: 'is more than' },
  { value: 'GTE', label: 'is at least' },
  { value: 'LT', label: 'is less than' },
  { value: 'LTE', label: 'is at most' },
  { value: 'IN', label: 'is one of' },
  { value: 'NOT_IN', label: 'is none of' },
  { value: 'CONTAINS', label: 'contains' },
  { value: 'STARTS_WITH', label: 'starts with' },
  { value: 'EXISTS', label: 'is there' },
]

/** A comparison of one field of what happened. */
export function Comparison({ path, fields }: { path: Path; fields: readonly PayloadField[] }) {
  const field = useField([...path, 'field'])
  const op = useField([...path, 'op'])
  const value = useField([...path, 'value'], { deep: true })
  const schema = fields.find((one) => one.path === field.value)?.schema ?? null
  const isList = op.value === 'IN' || op.value === 'NOT_IN'
  return (
    <div className={classes.row}>
      <Autocomplete
        id={field.id}
        label="Field"
        {...field.told}
        data={fields.map((one) => one.path)}
        value={textOf(field.value)}
        onChange={field.set}
        comboboxProps={{ withinPortal: false }}
      />
      <NativeSelect
        id={op.id}
        label="Comparison"
        {...op.told}
        data={
          OPS.some((one) => one.value === op.value)
            ? OPS
            : [...OPS, { value: textOf(op.value), label: textOf(op.value) }]
        }
        value={textOf(op.value)}
        onChange={(event) => {
          op.set(event.currentTarget.value)
          if (event.currentTarget.value === 'EXISTS' && typeof value.value !== 'boolean') value.set(true)
        }}
      />
      {op.value === 'EXISTS' || (schema?.kind === 'boolean' && !isList) ? (
        <NativeSelect
          id={value.id}
          label="Value"
          {...value.told}
          value={String(value.value)}
          onChange={(event) => value.set(event.currentTarget.value === 'true')}
          data={[
            ...(typeof value.value === 'boolean' ? [] : [{ value: String(value.value), label: 'Choose' }]),
            { value: 'true', label: 'Yes' },
            { value: 'false', label: 'No' },
          ]}
        />
      ) : (
        <ParsedInput
          key={`${isList} ${schema?.kind}`}
          id={value.id}
          label="Value"
          {...(isList ? { placeholder: 'With commas between them' } : {})}
          {...value.told}
          value={value.value}
          set={value.set}
          parse={(text) =>
            isList ? text.split(',').map((one) => parseScalar(one.trim(), schema)) : parseScalar(text, schema)
          }
          format={(one) => (Array.isArray(one) ? listOf(one).map(formatScalar).join(', ') : formatScalar(one))}
        />
      )}
    </div>
  )
}

const formatScalar = (value: unknown): string => {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** As what stands in the payload there: a number only where that is one, or nobody knows what it is. */
function parseScalar(text: string, schema: FieldSchema | null): unknown {
  if (schema?.kind === 'text') return text
  if (schema?.kind === 'choice') return schema.options.find((option) => String(option) === text) ?? text
  if (text.trim() === '') return text
  const number = Number(text)
  if (Number.isFinite(number)) return number
  if (schema === null || schema.kind === 'any') {
    if (text === 'true' || text === 'false') return text === 'true'
    if (text === 'null') return null
  }
  return text
}
