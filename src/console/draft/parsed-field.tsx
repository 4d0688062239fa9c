import { Textarea, type TextareaProps, TextInput, type TextInputProps } from '@mantine/core'
import { useState } from 'react'
import { isSame } from '../definitions/json.ts'

type Parsing = {
  value: unknown
  set(value: unknown): void
  /** What a text means. One that means nothing is kept as the text that it is, so that it is not lost. */
  parse(text: string): unknown
  format(value: unknown): string
}

/** A text that stands for something else: it stays as it was typed while it means what the draft has. */
function useParsed({ value, set, parse, format }: Parsing) {
  const [text, setText] = useState(() => format(value))
  const [seen, setSeen] = useState(value)
  if (!Object.is(seen, value)) {
    setSeen(value)
    if (!isSame(parse(text), value)) setText(format(value))
  }
  return {
    value: text,
    onChange(event: { currentTarget: { value: string } }) {
      setText(event.currentTarget.value)
      set(parse(event.currentTarget.value))
    },
  }
}

export function ParsedInput({ value, set, parse, format, ...more }: Parsing & Omit<TextInputProps, keyof Parsing>) {
  return <TextInput {...more} {...useParsed({ value, set, parse, format })} />
}

export function ParsedTextarea({ value, set, parse, format, ...more }: Parsing & Omit<TextareaProps, keyof Parsing>) {
  return <Textarea autosize {...more} {...useParsed({ value, set, parse, format })} />
}

export const textFormat = (value: unknown): string => {
  if (value == null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** A number, or what else was typed: a placeholder, or half a number. */
export function parseNumber(text: string): unknown {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  const number = Number(trimmed)
  return Number.isFinite(number) ? number : text
}

/** Any JSON; what is none is a text. */
export function parseJson(text: string): unknown {
  if (text.trim() === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export function formatJson(value: unknown): string {
  if (value === undefined) return ''
  if (typeof value !== 'string') return JSON.stringify(value, null, 2)
  // A text that would be read as something else has its quotes.
  return typeof parseJson(value) === 'string' ? value : JSON.stringify(value)
}
