import { z } from 'zod'
import { showInstant } from './instant.ts'
import { printable } from './printable.ts'
import type { Session } from './session.ts'

/** What commands select of a line of a run's log, and its shape. */
export const LOG_LINE = '{ line at kind phase stepId actor { kind name } detail text }'

export const LogLine = z.object({
  line: z.number(),
  at: z.string(),
  kind: z.string(),
  phase: z.string().nullable(),
  stepId: z.string().nullable(),
  actor: z.object({ kind: z.string(), name: z.string() }),
  detail: z.record(z.string(), z.unknown()),
  text: z.string(),
})
export type LogLine = z.infer<typeof LogLine>

/** Wide enough for the longest kind. */
const KIND_WIDTH = 19

/** A line for people: when, what kind, the sentence. */
export function showLogLine(
  { at, kind, text }: LogLine,
  { paint, viewerZone, eventZone }: Pick<Session, 'paint' | 'viewerZone'> & { eventZone: string },
): string {
  const when = showInstant(at, { viewerZone, eventZone, precision: 'millis' })
  return `${paint('dim', when)}  ${paint('blue', kind.padEnd(KIND_WIDTH))} ${printable(text)}`
}
