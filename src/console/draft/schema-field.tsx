import { ActionIcon, Button, Fieldset, NativeSelect, Textarea } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { listOf, textOf } from '../definitions/json.ts'
import classes from './draft.module.css'
import { useField } from './draft-context.ts'
import { IssuesHere } from './issues-here.tsx'
import { withItem, withoutItem } from './list-change.ts'
import { formatJson, ParsedInput, ParsedTextarea, parseJson, parseNumber, textFormat } from './parsed-field.tsx'
import type { Path } from './path.ts'
import type { FieldSchema, Scalar } from './schema.ts'
import type { Told } from './told.tsx'

type SchemaFieldProps = { schema: FieldSchema; path: Path; name: string; isRequired: boolean }

/** A field of a form that is made from a JSON Schema. */
export function SchemaField({ schema, path, name, isRequired }: SchemaFieldProps) {
  const isWhole = schema.kind === 'any'
  const { id, value, set, told } = useField(path, { deep: isWhole })
  const label = schema.title ?? name
  const common = { id, label, description: schema.description, ...told, withAsterisk: isRequired }
  switch (schema.kind) {
    case 'text':
      if (value != null && typeof value !== 'string') return <JsonField {...common} value={value} set={set} />
      return (
        <Textarea
          {...common}
          autosize
          maxRows={14}
          value={textOf(value)}
          // In a list an empty text keeps its place.
          onChange={({ currentTarget: { value: text } }) =>
            set(text === '' && typeof path.at(-1) === 'string' ? undefined : text)
          }
        />
      )
    case 'number':
    case 'integer':
      return <ParsedInput {...common} inputMode="decimal" {...{ value, set }} parse={parseNumber} format={textFormat} />
    case 'boolean':
      return <Choice {...common} options={[true, false]} value={value} set={set} />
    case 'choice':
      return <Choice {...common} options={schema.options} value={value} set={set} />
    case 'object':
      return (
        <Fieldset legend={label} className={classes.inner}>
          <IssuesHere path={path} />
          {schema.fields.map((field) => (
            <SchemaField key={field.name} {...field} path={[...path, field.name]} />
          ))}
        </Fieldset>
      )
    case 'list':
      return <ListField item={schema.item} label={label} path={path} />
    case 'any':
      return <JsonField {...common} value={value} set={set} />
  }
}

type CommonProps = Told & {
  id: string
  label: string
  description?: string | null
  withAsterisk?: boolean
  value: unknown
  set(value: unknown): void
}

const words = (value: unknown): string =>
  value === true ? 'Yes' : value === false ? 'No' : textFormat(value) || 'Nothing'

/** One of several values; what else the draft has there is offered too, so that it is seen. */
function Choice({ options, value, set, ...common }: CommonProps & { options: readonly Scalar[] }) {
  const all: unknown[] =
    value === undefined || options.some((one) => one === value) ? [...options] : [...options, value]
  const at = all.indexOf(value)
  return (
    <NativeSelect
      {...common}
      value={at < 0 ? '' : String(at)}
      onChange={(event) => set(event.currentTarget.value === '' ? undefined : all[Number(event.currentTarget.value)])}
      data={[
        { value: '', label: 'Not given' },
        ...all.map((one, index) => ({ value: String(index), label: words(one) })),
      ]}
    />
  )
}

/** Any JSON, as text. */
export function JsonField(props: CommonProps) {
  return (
    <ParsedTextarea
      {...props}
      classNames={{ input: classes.code }}
      minRows={2}
      maxRows={20}
      parse={parseJson}
      format={formatJson}
      spellCheck={false}
    />
  )
}

function ListField({ item, label, path }: { item: FieldSchema; label: string; path: Path }) {
  const { id, value, set, told } = useField(path)
  if (value != null && !Array.isArray(value)) return <JsonField {...{ id, label, ...told, value, set }} />
  const list = listOf(value)
  return (
    <Fieldset legend={label} className={classes.inner}>
      <IssuesHere path={path} />
      {list.map((_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: values have no names but their places
        <div key={index} className={classes.listItem}>
          <SchemaField schema={item} path={[...path, index]} name={`${label} ${index + 1}`} isRequired={false} />
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={`Remove ${label} ${index + 1}`}
            onClick={() => set(withoutItem(list, index))}
          >
            <IconTrash size={18} aria-hidden />
          </ActionIcon>
        </div>
      ))}
      <Button
        id={id}
        variant="default"
        size="compact-sm"
        leftSection={<IconPlus size={16} aria-hidden />}
        onClick={() => set(withItem(list, list.length, item.kind === 'object' ? {} : item.kind === 'text' ? '' : null))}
      >
        Add to {label}
      </Button>
    </Fieldset>
  )
}
