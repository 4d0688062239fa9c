import type { Issue } from './issue.ts'
import { writtenPath } from './issue-path.ts'

/** Longer keys are cut where they are shown. */
const SHOWN = 40

/** An issue for every key of an object that nothing reads: it would be dropped without a word. `path` is the object's. */
export function unknownKeys(
  thing: Readonly<Record<string, unknown>>,
  { path, known }: { path: string; known: readonly string[] },
): Issue[] {
  return Object.keys(thing)
    .filter((key) => !known.includes(key))
    .map((key) => {
      const shown = key.length > SHOWN ? `${key.slice(0, SHOWN)}…` : key
      const at = writtenPath([shown], path)
      return { path: at, message: `This is not known here; use one of ${known.join(', ')}, or remove it.` }
    })
}
