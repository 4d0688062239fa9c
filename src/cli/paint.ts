import { styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

/** Colours a text, or leaves it as it is. */
export type Paint = (style: Style, text: string) => string

/** Colours where they are shown: on a terminal that has them. Node answers no where NO_COLOR is set. */
export function paintFor(stream: { isTTY?: boolean; hasColors?: () => boolean }): Paint {
  const shown = stream.isTTY === true && stream.hasColors?.() === true
  return (style, text) => (shown ? styleText(style, text, { validateStream: false }) : text)
}

const STYLES: Readonly<Record<string, Style>> = {
  RUNNING: 'cyan',
  STARTING: 'cyan',
  ENDING: 'cyan',
  PAUSED: 'yellow',
  DEGRADED: 'yellow',
  STALLED: 'yellow',
  REFUSED: 'red',
  FAILED: 'red',
  MISSED: 'red',
  INCOMPLETE: 'red',
  COMPLETED: 'green',
  DONE: 'green',
  CLEAN: 'green',
}

/** The style of a status of a run or step, of a health, of a cleanup. */
export function styleOfStatus(status: string): Style {
  return STYLES[status] ?? 'dim'
}
