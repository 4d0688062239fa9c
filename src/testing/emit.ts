import type { ControlContext } from '../controls/context.ts'
import { emitTrigger } from '../controls/emit.ts'
import { formatId } from '../domain/ids.ts'
import { granted } from './refused.ts'

export type EmitOptions = {
  /** Only runs of this scope, `''` included. */
  scope?: string
  /** The same within a day counts once. */
  dedupeKey?: string
  /** Rehearsals only; else real runs only. */
  rehearsal?: boolean
  /** Who emits it. */
  by?: string
}

/** What became of a trigger. `matched`: the first 100 gates that it was tried on, those it counted for first. */
export type Emitted = {
  duplicate: boolean
  matchedCount: number
  /** `runId` as the API shows it: a run's `id`. */
  matched: { runId: string; phase: string; matched: boolean; tally: number; needed: number; opened: boolean }[]
}

/** Emits a trigger as a game server would. Throws `Refused` where it is not there or the payload does not fit. */
export async function emitFrom(
  ctx: ControlContext,
  {
    trigger,
    payload,
    options,
  }: { trigger: string; payload: Record<string, unknown>; options: EmitOptions & { by: string } },
): Promise<Emitted> {
  const { by, ...where } = options
  const answer = await emitTrigger(ctx, { kind: 'TOKEN', name: by }, { trigger, payload, ...where })
  const { duplicate, matchedCount, matched } = granted(`The trigger "${trigger}" cannot be emitted`, answer)
  return { duplicate, matchedCount, matched: matched.map((gate) => ({ ...gate, runId: formatId('Run', gate.runId) })) }
}
