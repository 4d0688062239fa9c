import type { LogLine, LogState } from './log-store.ts'

/** Which lines are shown; empty texts and null restrict nothing. */
export type LogFilter = { search: string; kind: string | null; phase: string | null }

export const EVERYTHING: LogFilter = { search: '', kind: null, phase: null }

/** The lines that a filter takes: all of them are looked through, also those that nobody has scrolled to. */
export function filtered({ lines }: LogState, { search, kind, phase }: LogFilter): readonly LogLine[] {
  const wanted = search.trim().toLowerCase()
  if (wanted === '' && kind === null && phase === null) return lines
  return lines.filter(
    (line) =>
      (kind === null || line.kind === kind) &&
      (phase === null || line.phase === phase) &&
      (wanted === '' || line.text.toLowerCase().includes(wanted) || line.actor.name.toLowerCase().includes(wanted)),
  )
}
