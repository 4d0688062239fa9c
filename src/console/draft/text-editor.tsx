import { Textarea } from '@mantine/core'
import classes from './draft.module.css'
import { useDraft, useView } from './draft-context.ts'

/** The draft as text, for what the form has no field for. What it says is in the form too, as soon as it can be read. */
export function TextEditor({ text }: { text: string }) {
  const { store } = useDraft()
  const view = useView()
  return (
    <Textarea
      label="The draft as YAML"
      description="JSON will do too. What is wrong in it is listed beside, by its path. Comments are not kept."
      classNames={{ input: classes.code }}
      autosize
      minRows={20}
      spellCheck={false}
      value={text}
      error={view.problem}
      onChange={(event) => store.writeText(event.currentTarget.value)}
    />
  )
}
