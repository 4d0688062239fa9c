import { ActionIcon, Button, Input, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { listOf, textOf } from '../definitions/json.ts'
import { showLocal } from '../time/local-text.ts'
import classes from './draft.module.css'
import { useField } from './draft-context.ts'
import { focusSoon } from './focus.ts'
import { IssuesHere } from './issues-here.tsx'
import { withItem, withoutItem } from './list-change.ts'
import { fieldId, type Path } from './path.ts'

type DateListProps = { path: Path; label: string; none: string; what: string }

/** Days and times that a schedule has, or has not, besides its rule. */
export function DateList({ path, label, none, what }: DateListProps) {
  const { id, value, set } = useField(path)
  const dates = listOf(value)
  return (
    <Input.Wrapper label={label} labelElement="div">
      <IssuesHere path={path} />
      {dates.length === 0 && <p className={classes.none}>{none}</p>}
      <ul className={classes.list}>
        {dates.map((_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: dates have no names but their places
          <li key={index} className={classes.listItem}>
            <DateField path={[...path, index]} label={`${label} ${index + 1}`} what={what} />
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={`Remove ${label} ${index + 1}`}
              onClick={() => {
                set(withoutItem(dates, index))
                focusSoon(id)
              }}
            >
              <IconTrash size={18} aria-hidden />
            </ActionIcon>
          </li>
        ))}
      </ul>
      <Button
        id={id}
        variant="default"
        size="compact-sm"
        leftSection={<IconPlus size={16} aria-hidden />}
        onClick={() => {
          set(withItem(dates, dates.length, ''))
          focusSoon(fieldId([...path, dates.length]))
        }}
      >
        Add to “{label}”
      </Button>
    </Input.Wrapper>
  )
}

function DateField({ path, label, what }: { path: Path; label: string; what: string }) {
  const { id, value, set, told } = useField(path)
  const text = textOf(value)
  const shown = showLocal(text)
  return (
    <TextInput
      id={id}
      aria-label={label}
      description={shown === text ? what : shown}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      {...told}
      value={text}
      onChange={(event) => set(event.currentTarget.value)}
    />
  )
}
