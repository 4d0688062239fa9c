import { ActionIcon, Fieldset } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useMemo } from 'react'
import { isObject, objectOf } from '../definitions/json.ts'
import classes from './draft.module.css'
import { type Action, useField } from './draft-context.ts'
import { IssuesHere } from './issues-here.tsx'
import type { Path } from './path.ts'
import { readSchema } from './schema.ts'
import { JsonField, SchemaField } from './schema-field.tsx'

/** A form for the params of a step, made from what its action says of them; what it does not know is shown as JSON. */
export function ParamFields({ path, action }: { path: Path; action: Action | undefined }) {
  const schema = useMemo(() => (action === undefined ? null : readSchema(action.paramsSchema)), [action])
  const { id, value, set, told } = useField(path, { deep: schema?.kind !== 'object' })
  if (schema?.kind !== 'object' || (value != null && !isObject(value))) {
    return (
      <JsonField
        id={id}
        label="Params"
        description="As JSON: {name} in a text stands for a parameter."
        {...{ value, set, ...told }}
      />
    )
  }
  const others = Object.keys(objectOf(value)).filter((name) => !schema.fields.some((field) => field.name === name))
  return (
    <Fieldset legend="Params" className={classes.inner}>
      <IssuesHere path={path} />
      {schema.fields.length === 0 && <p className={classes.none}>It takes none.</p>}
      {schema.fields.map((field) => (
        <SchemaField key={field.name} {...field} path={[...path, field.name]} />
      ))}
      {others.map((name) => (
        <OtherParam key={name} path={[...path, name]} name={name} />
      ))}
    </Fieldset>
  )
}

/** A param that the step has, and its action does not name. */
function OtherParam({ path, name }: { path: Path; name: string }) {
  const { told, ...field } = useField(path, { deep: true })
  return (
    <div className={classes.listItem}>
      <JsonField
        {...field}
        {...told}
        // One that is emptied to be written anew keeps its place.
        set={(value) => field.set(value ?? '')}
        label={name}
        description="The action does not name it."
      />
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={`Remove ${name}`}
        onClick={() => field.set(undefined)}
      >
        <IconTrash size={18} aria-hidden />
      </ActionIcon>
    </div>
  )
}
