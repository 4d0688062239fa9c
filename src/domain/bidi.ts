const CONTROL = /[\u202A-\u202E\u2066-\u2069]/
const POP_EMBEDDING = '\u202C'
const POP_ISOLATE = '\u2069'
/** What opens a direction, and what closes it: embeddings and overrides, and isolates. */
const CLOSER_OF: ReadonlyMap<string, string> = new Map([
  ...['\u202A', '\u202B', '\u202D', '\u202E'].map((opener) => [opener, POP_EMBEDDING] as const),
  ...['\u2066', '\u2067', '\u2068'].map((opener) => [opener, POP_ISOLATE] as const),
])
/** After each of these directions are as at a beginning. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: some of them end a paragraph
const LINE_END = /(\r\n|[\n\r\x1C-\x1E\x85\u2029])/

/** What a text does that is not its own `closedText`, for sentences. */
export const TURNING = 'turn the direction of text that follows, as U+202E does'

/**
 * A text in which each line closes the directions that it opens (LRE, RLO, RLI and the like), and closes no others, so
 * that it cannot turn a sentence that it is put into. One that does so already stays as it is.
 */
export function closedText(text: string): string {
  return CONTROL.test(text) ? text.split(LINE_END).map(closedLine).join('') : text
}

function closedLine(line: string): string {
  const open: string[] = []
  let isolates = 0
  let closed = ''
  for (const character of line) {
    const closer = CLOSER_OF.get(character)
    if (closer !== undefined) {
      open.push(closer)
      if (closer === POP_ISOLATE) isolates += 1
    } else if (character === POP_EMBEDDING) {
      if (open.at(-1) !== POP_EMBEDDING) continue
      open.pop()
    } else if (character === POP_ISOLATE) {
      if (isolates === 0) continue
      // It closes what was opened within it, too.
      while (open.pop() !== POP_ISOLATE) closed += POP_EMBEDDING
      isolates -= 1
    }
    closed += character
  }
  return closed + open.reverse().join('')
}
