import type { KeyboardEvent } from 'react'

const WEEK = 7

/**
 * Arrow keys in a calendar: up and down through the lines of a day and on to the week above or below, left and right to
 * the neighbouring days. Days are marked `data-day`, what can be focused in them `data-line`; each day has one at least.
 */
export function moveByArrows(event: KeyboardEvent<HTMLElement>): void {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
  const days = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-day]')].map((day) => [
    ...day.querySelectorAll<HTMLElement>('[data-line]'),
  ])
  const focused = document.activeElement
  if (!(focused instanceof HTMLElement)) return
  const day = days.findIndex((lines) => lines.includes(focused))
  const lines = days[day]
  if (lines === undefined) return
  const line = lines.indexOf(focused)
  const target = targetOf(event.key, { days, day, line })
  if (target === undefined) return
  event.preventDefault()
  target.focus()
}

type Place = { days: readonly (readonly HTMLElement[])[]; day: number; line: number }

function targetOf(key: string, { days, day, line }: Place): HTMLElement | undefined {
  const beside = (to: number): HTMLElement | undefined => days[to]?.[Math.min(line, (days[to]?.length ?? 1) - 1)]
  switch (key) {
    case 'ArrowUp':
      return days[day]?.[line - 1] ?? days[day - WEEK]?.at(-1)
    case 'ArrowDown':
      return days[day]?.[line + 1] ?? days[day + WEEK]?.[0]
    case 'ArrowLeft':
      return beside(day - 1)
    case 'ArrowRight':
      return beside(day + 1)
    default:
      return undefined
  }
}
