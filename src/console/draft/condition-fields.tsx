import { ActionIcon, Button, Fieldset, Group, NativeSelect } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useMemo } from 'react'
import { isObject, type JsonObject, listOf } from '../definitions/json.ts'
import { Comparison } from './comparison.tsx'
import classes from './draft.module.css'
import { type Trigger, useField } from './draft-context.ts'
import { focusSoon } from './focus.ts'
import { IssuesHere } from './issues-here.tsx'
import { withItem, withoutItem } from './list-change.ts'
import { fieldId, type Path } from './path.ts'
import { type PayloadField, payloadFields } from './schema.ts'
import { JsonField } from './schema-field.tsx'

const fresh = (): JsonObject => ({ field: '', op: 'EQ', value: '' })

/** Which of what happens counts: comparisons with what it was emitted with. */
export function ConditionFields({ path, trigger }: { path: Path; trigger: Trigger | undefined }) {
  const { id, value, set } = useField(path)
  const fields = useMemo(() => (trigger === undefined ? [] : payloadFields(trigger.payloadSchema)), [trigger])
  if (value == null) {
    return (
      <div>
        <Button
          id={id}
          variant="default"
          size="compact-md"
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={() => {
            set(fresh())
            focusSoon(fieldId([...path, 'field']))
          }}
        >
          Only where …
        </Button>
      </div>
    )
  }
  return (
    <Fieldset legend="Only where" className={classes.inner}>
      <Node path={path} fields={fields} what="the condition" onRemove={() => set(undefined)} isRoot />
    </Fieldset>
  )
}

type NodeProps = {
  path: Path
  fields: readonly PayloadField[]
  what: string
  isRoot?: boolean
  onRemove(): void
}

const GROUPS = [
  { value: 'all', label: 'all of these hold' },
  { value: 'any', label: 'any of these holds' },
  { value: 'not', label: 'this does not hold' },
]

/** A comparison, or several of them joined. */
function Node({ path, fields, what, isRoot = false, onRemove }: NodeProps) {
  const { id, value, set, told } = useField(path)
  const kind = kindOf(value)
  if (kind === 'other') return <JsonField id={id} label="Condition" {...{ value, set, ...told }} />
  const node = isObject(value) ? value : {}
  if (kind === 'leaf') {
    return (
      <div>
        <IssuesHere path={path} />
        <div className={classes.listItem}>
          <Comparison path={path} fields={fields} />
          <RemoveButton what={what} onRemove={onRemove} />
        </div>
        {isRoot && (
          <Button
            variant="subtle"
            size="compact-sm"
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => {
              set({ all: [value, fresh()] })
              focusSoon(fieldId([...path, 'all', 1, 'field']))
            }}
          >
            And another comparison
          </Button>
        )}
      </div>
    )
  }
  const parts = kind === 'not' ? [node.not] : listOf(node[kind])
  const placeOf = (index: number): Path => (kind === 'not' ? [...path, 'not'] : [...path, kind, index])
  const add = (part: JsonObject) => {
    set({ [kind]: withItem(parts, parts.length, part) })
    focusSoon(fieldId([...placeOf(parts.length), 'field']))
  }
  return (
    <div className={classes.group}>
      <div className={classes.listItem}>
        <NativeSelect
          id={id}
          aria-label={`How ${what} is joined`}
          data={GROUPS}
          value={kind}
          onChange={(event) => set(regrouped(parts, event.currentTarget.value))}
        />
        <RemoveButton what={what} onRemove={onRemove} />
      </div>
      <IssuesHere path={path} />
      {kind !== 'not' && <IssuesHere path={[...path, kind]} />}
      <ul className={classes.parts}>
        {parts.map((_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: comparisons have no names but their places
          <li key={index}>
            <Node
              path={placeOf(index)}
              fields={fields}
              what={`part ${index + 1} of ${what}`}
              onRemove={() =>
                // A group of nothing is none.
                kind === 'not' || parts.length === 1 ? onRemove() : set({ [kind]: withoutItem(parts, index) })
              }
            />
          </li>
        ))}
      </ul>
      {kind !== 'not' && (
        <Group gap="xs">
          <Button
            variant="subtle"
            size="compact-sm"
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => add(fresh())}
          >
            Comparison
          </Button>
          <Button
            variant="subtle"
            size="compact-sm"
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => add({ [kind === 'all' ? 'any' : 'all']: [fresh()] })}
          >
            Group
          </Button>
        </Group>
      )}
    </div>
  )
}

function RemoveButton({ what, onRemove }: { what: string; onRemove(): void }) {
  return (
    <ActionIcon variant="subtle" color="gray" size="lg" aria-label={`Remove ${what}`} onClick={onRemove}>
      <IconTrash size={18} aria-hidden />
    </ActionIcon>
  )
}

function kindOf(value: unknown): 'all' | 'any' | 'not' | 'leaf' | 'other' {
  if (!isObject(value)) return 'other'
  const [key, ...others] = Object.keys(value)
  if (others.length === 0 && (key === 'all' || key === 'any') && Array.isArray(value[key])) return key
  if (others.length === 0 && key === 'not') return 'not'
  return Object.keys(value).every((name) => ['field', 'op', 'value'].includes(name)) ? 'leaf' : 'other'
}

/** The same parts joined in another way. */
function regrouped(parts: readonly unknown[], kind: string): unknown {
  const [first, ...others] = parts
  const group = isObject(first) && others.length === 0 ? (first.all ?? first.any) : undefined
  if (kind === 'not') return { not: others.length === 0 ? first : { all: parts } }
  return { [kind]: Array.isArray(group) ? group : parts }
}
