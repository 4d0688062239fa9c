import type { WriteStream } from 'node:tty'

const ENTER = '\u001b[?1049h\u001b[?25l'
const LEAVE = '\u001b[?25h\u001b[?1049l'
const HOME = '\u001b[H'
const TO_LINE_END = '\u001b[K'
const TO_SCREEN_END = '\u001b[J'

/** A terminal taken over for frames that follow each other in place; what was there comes back when it is left. */
export type Screen = {
  draw(lines: readonly string[]): void
  leave(): void
}

export function enterScreen(terminal: Pick<WriteStream, 'write'>): Screen {
  terminal.write(ENTER)
  let left = false
  return {
    draw: (lines) => void terminal.write(`${HOME}${lines.join(`${TO_LINE_END}\n`)}${TO_LINE_END}${TO_SCREEN_END}`),
    leave() {
      if (!left) terminal.write(LEAVE)
      left = true
    },
  }
}
