import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'

/** Between two keys that are pressed one after another. */
const TYPING_MS = 300

type SearchFieldProps = {
  label: string
  placeholder: string
  /** What is searched for. */
  value: string
  onSearch(text: string): void
}

/** A text to search for, once nobody types any more. */
export function SearchField({ label, placeholder, value, onSearch }: SearchFieldProps) {
  const [text, setText] = useState(value)
  /** What it searched for itself: that coming back must not undo what was typed since. */
  const sent = useRef(value)
  useEffect(() => {
    if (value === sent.current) return
    sent.current = value
    setText(value)
  }, [value])
  const search = useDebouncedCallback((typed: string) => {
    sent.current = typed.trim()
    onSearch(sent.current)
  }, TYPING_MS)
  return (
    <TextInput
      label={label}
      placeholder={placeholder}
      leftSection={<IconSearch size={16} aria-hidden />}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value)
        search(event.currentTarget.value)
      }}
    />
  )
}
