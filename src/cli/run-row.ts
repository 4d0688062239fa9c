import { z } from 'zod'
import { printable } from './printable.ts'

/** What commands say of a run: selected, its shape, and a sentence for people. */
export const RUN_ROW = `{
  id status health cleanupStatus scope rehearsal scheduledFor startedAt endedAt timeZone currentPhase waitingCues
  lastError endedBecause definition { id slug title } waitingOn { kind description until }
}`

export const RunRow = z.object({
  id: z.string(),
  status: z.string(),
  health: z.string(),
  cleanupStatus: z.string(),
  scope: z.string(),
  rehearsal: z.boolean(),
  scheduledFor: z.string(),
  startedAt: z.string().nullable(),
  endedAt: z.string().nullable(),
  timeZone: z.string(),
  currentPhase: z.string().nullable(),
  waitingCues: z.number(),
  lastError: z.string().nullable(),
  endedBecause: z.string().nullable(),
  definition: z.object({ id: z.string(), slug: z.string(), title: z.string() }),
  waitingOn: z.object({ kind: z.string(), description: z.string(), until: z.string().nullable() }).nullable(),
})
export type RunRow = z.infer<typeof RunRow>

/** "Quiz night (run_…) is PAUSED. Paused until a person resumes it." */
export function sayRun({ definition, id, rehearsal, status, waitingOn, endedBecause }: RunRow): string {
  const what = `${definition.title} (${rehearsal ? 'rehearsal, ' : ''}${id}) is ${status}.`
  return printable([what, waitingOn?.description ?? endedBecause].filter((it) => it !== null).join(' '))
}
