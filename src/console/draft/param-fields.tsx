import { Fieldset } from '@mantine/core'
import { useMemo } from 'react'
import { isObject, type JsonObject, objectOf } from '../definitions/json.ts'
import classes from './draft.module.css'
import { type Action, useDraft, useField } from './draft-context.ts'
import { IssuesHere } from './issues-here.tsx'
import { fieldId, type Path, withValueAt } from './path.ts'
import { readSchema } from './schema.ts'
import { JsonField, SchemaField } from './schema-field.tsx'

/** A form for the params of a step, made from what its action says of them; what it does not know is shown as JSON. */
export function ParamFields({ path, action }: { path: Path; action: Action | undefined }) {
  const schema = useMemo(() => (action === undefined ? null : readSchema(action.paramsSchema)), [action])
  const { id, value, set, error } = useField(path, { deep: schema?.kind !== 'object' })
  if (schema?.kind !== 'object' || (value != null && !isObject(value))) {
    return (
      <JsonField
        id={id}
        label="Params"
        description="As JSON: {name} in a text stands for a parameter."
        {...{ value, set, error }}
      />
    )
  }
  const names = schema.fields.map(({ name }) => name)
  return (
    <Fieldset legend="Params" className={classes.inner}>
      <IssuesHere path={path} />
      {schema.fields.length === 0 && <p className={classes.none}>It takes none.</p>}
      {schema.fields.map((field) => (
        <SchemaField key={field.name} {...field} path={[...path, field.name]} />
      ))}
      <OtherParams path={path} known={names} params={objectOf(value)} />
    </Fieldset>
  )
}

type OtherParamsProps = { path: Path; known: readonly string[]; params: JsonObject }

/** What the step has, and its action does not name. */
function OtherParams({ path, known, params }: OtherParamsProps) {
  const { store, view } = useDraft()
  const rest = Object.fromEntries(Object.entries(params).filter(([name]) => !known.includes(name)))
  const names = Object.keys(rest)
  if (names.length === 0) return null
  const problems = names.flatMap((name) => {
    const at = fieldId([...path, name]).replace(/^draft\./, '')
    return view.issues.filter((issue) => issue.path === at || issue.path.startsWith(`${at}.`))
  })
  const named = Object.fromEntries(Object.entries(params).filter(([name]) => known.includes(name)))
  return (
    <JsonField
      id={fieldId([...path, names[0] ?? ''])}
      label="Other params"
      description="The action does not name them."
      error={problems.length === 0 ? null : problems.map(({ message }) => message).join(' ')}
      value={rest}
      set={(value) =>
        // What is no object, while it is being typed, is left as it was.
        (value === undefined || isObject(value)) &&
        store.edit((content) => withValueAt(content, path, { ...named, ...objectOf(value) }), fieldId(path))
      }
    />
  )
}
