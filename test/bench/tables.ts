export const count = (value: number): string => value.toLocaleString('en')

/** Of columns by their heads, of which those that begin with a space are of numbers. */
export function table(heads: string[], rows: (string | number)[][]): string[] {
  const line = (cells: (string | number)[]) => `| ${cells.join(' | ')} |`
  return [
    line(heads.map((head) => head.trim())),
    line(heads.map((head) => (head.startsWith(' ') ? '--:' : '---'))),
    ...rows.map(line),
  ]
}
