import classes from './schema-fields.module.css'
import { fieldsOf, type SchemaField } from './schema-words.ts'

type SchemaFieldsProps = {
  schema: Record<string, unknown>
  /** What is said where it asks for nothing. */
  none: string
}

/** What a JSON Schema asks for, in words, and the schema itself for who wants all of it. */
export function SchemaFields({ schema, none }: SchemaFieldsProps) {
  const fields = fieldsOf(schema)
  return (
    <>
      {fields.length === 0 ? <p className={classes.none}>{none}</p> : <Fields fields={fields} />}
      <details className={classes.whole}>
        <summary>As JSON Schema</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, by keys too */}
        <pre tabIndex={0}>{JSON.stringify(schema, null, 2)}</pre>
      </details>
    </>
  )
}

function Fields({ fields }: { fields: readonly SchemaField[] }) {
  return (
    <ul className={classes.fields}>
      {fields.map(({ name, isRequired, kind, bounds, description, fields: inner }) => (
        <li key={name} className={classes.field}>
          <span className={classes.name}>
            <code>{name}</code>
            {!isRequired && <span className={classes.dim}> may be left out</span>}
          </span>
          <span className={classes.kind}>
            {[kind, ...bounds].join(', ')}
            {description !== null && <span className={classes.description}>{description}</span>}
          </span>
          {inner.length > 0 && <Fields fields={inner} />}
        </li>
      ))}
    </ul>
  )
}
