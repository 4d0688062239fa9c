import type { Actor } from '../domain/actor.ts'
import { readDefinition } from '../store/definitions.ts'
import { missIfWaiting, readPausedStarts } from '../store/missed.ts'
import { pauseScheduleIfActive, resumeScheduleIfSwept } from '../store/schedule-controls.ts'
import type { ControlContext } from './context.ts'
import { auditOf, type DefinitionControlInput, noDefinition } from './definitions.ts'
import { reasonDetail } from './reason.ts'
import { conflict, MAX_TRIES, overtaken, type Refusal, type Result } from './result.ts'

type ScheduleResult = Result<{ definitionId: string }>

/** Runs that are missed in one statement. */
const BATCH = 500

/**
 * While it is paused the schedule makes no runs, and a run that it made is missed at its instant. Runs started by hand
 * and runs in flight go on. Pausing twice is no error.
 */
export async function pauseSchedule(
  ctx: ControlContext,
  actor: Actor,
  { id, reason }: DefinitionControlInput,
): Promise<ScheduleResult> {
  const audit = auditOf(ctx, actor, { action: 'definition.pause-schedule', id, detail: reasonDetail(reason) })
  if (await pauseScheduleIfActive(ctx.db.prisma, { definitionId: id, audit })) {
    ctx.changes.schedulesChanged()
    return { definitionId: id }
  }
  const read = await readDefinition(ctx.db.prisma, id)
  return refusalOf(id, read?.state ?? null) ?? { definitionId: id }
}

/** Lets the schedule go on; nothing of the pause is made up for. Resuming twice is no error. */
export async function resumeSchedule(
  ctx: ControlContext,
  actor: Actor,
  { id, reason }: DefinitionControlInput,
): Promise<ScheduleResult> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const now = ctx.clock.now()
    const inPause = await readPausedStarts(ctx.db.prisma, { now, limit: BATCH, definitionId: id })
    for (const { runId, line } of await missIfWaiting(ctx.db.prisma, { runs: inPause, now }))
      ctx.changes.publish({ runId, line, cues: false })
    const audit = auditOf(ctx, actor, { action: 'definition.resume-schedule', id, detail: reasonDetail(reason) })
    if (await resumeScheduleIfSwept(ctx.db.prisma, { definitionId: id, audit, now })) {
      ctx.changes.schedulesChanged()
      return { definitionId: id }
    }
    const read = await readDefinition(ctx.db.prisma, id)
    const refusal = refusalOf(id, read?.state ?? null)
    if (refusal !== null) return refusal
    if (read?.schedulePaused === false) return { definitionId: id }
  }
  return overtaken({ definitionId: id })
}

function refusalOf(id: string, state: 'DRAFT' | 'READY' | 'ARCHIVED' | null): Refusal | null {
  if (state === null) return noDefinition(id)
  if (state === 'ARCHIVED')
    return conflict('The definition is archived and makes no runs any more.', { definitionId: id })
  if (state === 'DRAFT')
    return conflict('The definition was never published and has no schedule yet; publish it first.', {
      definitionId: id,
    })
  return null
}
