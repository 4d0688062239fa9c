import { Button, Checkbox, NativeSelect, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { listOf, objectOf, textOf } from '../definitions/json.ts'
import { Section } from '../ui/section.tsx'
import classes from './draft.module.css'
import { useDraft, useField } from './draft-context.ts'
import { focusSoon } from './focus.ts'
import { IssuesHere } from './issues-here.tsx'
import { withItem, withItemMoved, withoutItem } from './list-change.ts'
import { ParsedInput } from './parsed-field.tsx'
import { PartButtons } from './part-buttons.tsx'
import { keyOf } from './part-key.ts'
import { fieldId, type Path } from './path.ts'

const PARAMETERS = ['parameters']

/** What a run asks for when it starts. */
export function ParameterFields() {
  const { say } = useDraft()
  const { id, value, set } = useField(PARAMETERS)
  const list = listOf(value)
  const add = () => {
    set(withItem(list, list.length, { name: '' }))
    focusSoon(fieldId(['parameters', list.length, 'name']))
  }
  return (
    <Section
      title="Parameters"
      count={list.length}
      aside={
        <Button
          id={id}
          variant="default"
          size="compact-md"
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={add}
        >
          Add a parameter
        </Button>
      }
    >
      <IssuesHere path={PARAMETERS} />
      {list.length === 0 && (
        <p className={classes.none}>
          None. A parameter is asked for when a run starts; texts of steps hold it as <code>{'{name}'}</code>.
        </p>
      )}
      <ul className={classes.list}>
        {list.map((parameter, index) => {
          const name = textOf(objectOf(parameter).name)
          const what = `parameter ${name === '' ? index + 1 : name}`
          const key = keyOf(parameter)
          return (
            <li key={key} className={classes.card}>
              <ParameterRow path={['parameters', index]} />
              <PartButtons
                what={what}
                partKey={key}
                canUp={index > 0}
                canDown={index < list.length - 1}
                onMove={(by) => {
                  set(withItemMoved(list, index, index + by))
                  say(`The ${what} is now number ${index + by + 1} of ${list.length}.`)
                  focusSoon(`${by < 0 ? 'up' : 'down'}-${key}`, `${by < 0 ? 'down' : 'up'}-${key}`)
                }}
                onRemove={() => {
                  set(withoutItem(list, index))
                  say(`The ${what} is removed. Undo brings it back.`)
                  focusSoon(id)
                }}
              />
            </li>
          )
        })}
      </ul>
    </Section>
  )
}

const TYPES = [
  { value: 'TEXT', label: 'Text' },
  { value: 'INTEGER', label: 'Whole number' },
  { value: 'NUMBER', label: 'Number' },
  { value: 'BOOLEAN', label: 'Yes or no' },
  { value: 'CHOICE', label: 'One of several' },
]

function ParameterRow({ path }: { path: Path }) {
  const name = useField([...path, 'name'])
  const label = useField([...path, 'label'])
  const type = useField([...path, 'type'])
  const required = useField([...path, 'required'])
  const value = useField([...path, 'default'])
  const options = useField([...path, 'options'], { deep: true })
  return (
    <>
      <IssuesHere path={path} />
      <div className={classes.row}>
        <TextInput
          id={name.id}
          label="Name"
          withAsterisk
          {...name.told}
          value={textOf(name.value)}
          onChange={(event) => name.set(event.currentTarget.value)}
        />
        <TextInput
          id={label.id}
          label="Label"
          placeholder={textOf(name.value)}
          {...label.told}
          value={textOf(label.value)}
          onChange={(event) => label.set(event.currentTarget.value || undefined)}
        />
        <NativeSelect
          id={type.id}
          label="Type"
          data={TYPES}
          {...type.told}
          value={textOf(type.value) || 'TEXT'}
          onChange={(event) => type.set(event.currentTarget.value === 'TEXT' ? undefined : event.currentTarget.value)}
        />
        <TextInput
          id={value.id}
          label="Default"
          {...value.told}
          value={textOf(value.value)}
          onChange={(event) => value.set(event.currentTarget.value || undefined)}
        />
      </div>
      {(type.value === 'CHOICE' || options.value != null) && (
        <ParsedInput
          id={options.id}
          label="Options"
          description="With commas between them."
          {...options.told}
          value={options.value}
          set={options.set}
          parse={parseList}
          format={(list) => listOf(list).join(', ')}
        />
      )}
      <Checkbox
        id={required.id}
        label="Has to be given"
        error={required.told.error}
        checked={required.value === true}
        onChange={(event) => required.set(event.currentTarget.checked || undefined)}
      />
    </>
  )
}

function parseList(text: string): string[] | undefined {
  const items = text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
  return items.length === 0 ? undefined : items
}
