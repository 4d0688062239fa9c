// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is about
const CONTROL = /[\u0000-\u001f\u007f-\u009f]+/g

/**
 * A text of somebody else's on one line: without line ends, and without the control characters by which it could work
 * the terminal of whoever reads it.
 */
export function printable(text: string): string {
  return text.replace(CONTROL, ' ')
}
