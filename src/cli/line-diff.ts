/** Unchanged lines that are shown around changed ones. */
const CONTEXT = 2

/** How two texts differ, line by line: lines that went with `- `, that came with `+ `, their neighbours with two blanks. */
export function lineDiff(before: string, after: string): string[] {
  const [old, now] = [linesOf(before), linesOf(after)]
  // Length of the longest common subsequence of what follows each pair of places.
  const common = Array.from({ length: old.length + 1 }, () => new Uint32Array(now.length + 1))
  const at = (i: number, j: number) => common[i]?.[j] ?? 0
  for (let i = old.length - 1; i >= 0; i -= 1) {
    const row = common[i]
    for (let j = now.length - 1; j >= 0 && row !== undefined; j -= 1) {
      row[j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const all: string[] = []
  for (let i = 0, j = 0; i < old.length || j < now.length; ) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      all.push(`  ${old[i]}`)
      i += 1
      j += 1
    } else if (i < old.length && (j === now.length || at(i + 1, j) >= at(i, j + 1))) all.push(`- ${old[i++]}`)
    else all.push(`+ ${now[j++]}`)
  }
  return all.flatMap((line, index) => {
    const near = (by: number) => all.slice(Math.max(index - by, 0), index + by + 1).some((it) => !it.startsWith(' '))
    if (near(CONTEXT)) return [line]
    return near(CONTEXT + 1) ? ['  …'] : []
  })
}

const linesOf = (text: string) => (text === '' ? [] : text.trimEnd().split('\n'))
