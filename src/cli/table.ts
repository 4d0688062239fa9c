/** A cell: its text, and what to do to it once it is as wide as its column. */
export type Cell = string | { text: string; paint(text: string): string }

/** Rows below a head, each column as wide as its widest cell. A line per row; nothing follows the last cell. */
export function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const lines = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...lines.map((cells) => textOf(cells[column]).length)))
  return lines
    .map((cells) =>
      cells
        .map((cell, column) => {
          const text = column === head.length - 1 ? textOf(cell) : textOf(cell).padEnd(widths[column] ?? 0)
          return typeof cell === 'string' ? text : cell.paint(text)
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function textOf(cell: Cell | undefined): string {
  if (cell === undefined) return ''
  return typeof cell === 'string' ? cell : cell.text
}
