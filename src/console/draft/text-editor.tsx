import { Textarea } from '@mantine/core'
import { useState } from 'react'
import { isSame } from '../definitions/json.ts'
import classes from './draft.module.css'
import { useDraft } from './draft-context.ts'
import { readText, textOfContent } from './spec-text.ts'

type TextEditorProps = { text: string; onChange(text: string): void }

/** The draft as text, for what the form has no field for. What it says is in the form too, as soon as it can be read. */
export function TextEditor({ text, onChange }: TextEditorProps) {
  const { store, view } = useDraft()
  const read = readText(text)
  const [seen, setSeen] = useState(view.content)
  if (seen !== view.content) {
    setSeen(view.content)
    // It was undone, or somebody else changed it.
    if (read.ok && !isSame(read.content, view.content)) onChange(textOfContent(view.content))
  }
  return (
    <Textarea
      label="The draft as YAML"
      description="JSON will do too. What is wrong in it is listed beside, by its path."
      classNames={{ input: classes.code }}
      autosize
      minRows={20}
      spellCheck={false}
      value={text}
      error={read.ok ? null : read.problem}
      onChange={(event) => {
        const written = event.currentTarget.value
        onChange(written)
        const now = readText(written)
        if (now.ok) store.edit((content) => (isSame(content, now.content) ? content : now.content), 'text')
      }}
    />
  )
}
