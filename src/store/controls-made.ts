import type { RunStatus } from '../domain/run.ts'
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts'
import type { ActorKind } from '../generated/prisma/enums.ts'

/** A control that was made of a run, or of something in it, as the run's log has it. */
export type MadeControl = {
  line: number
  actor: { kind: ActorKind; name: string }
  action: string
  at: Date
  /** What the run was before and after, of controls of the run itself. */
  from: RunStatus | null
  to: RunStatus | null
  /** Which step of it was controlled, a bare UUID. */
  stepId: string | null
  /** What was abandoned of its ledger: its id as the API shows it. */
  resourceId: string | null
}

/** Controls further back are of another evening. */
const LOOKED_AT = 100

/**
 * The controls that were made of a run last, newest first. Whoever archives an event, or publishes it without an
 * occurrence, cancels runs, too.
 */
export async function readControlsMade(db: PrismaClient, runId: string): Promise<MadeControl[]> {
  const rows = await db.$queryRaw<(Omit<MadeControl, 'actor'> & { actorKind: ActorKind; actorName: string })[]>(
    Prisma.sql`
      SELECT l.line, l.at, l.actor_kind::text AS "actorKind", l.actor_name AS "actorName",
        CASE l.kind WHEN 'resource.abandoned' THEN 'ABANDON_RESOURCE' WHEN 'run.status' THEN 'CANCEL'
          ELSE l.detail ->> 'control' END AS action,
        CASE WHEN l.kind IN ('run.control', 'run.status') THEN l.detail ->> 'from' END AS "from",
        CASE WHEN l.kind IN ('run.control', 'run.status') THEN l.detail ->> 'to' END AS "to",
        CASE l.kind WHEN 'step.control' THEN l.step_id END AS "stepId", l.detail ->> 'resourceId' AS "resourceId"
      FROM run_log l
      WHERE l.run_id = ${runId}::uuid AND (l.kind IN ('run.control', 'step.control', 'resource.abandoned')
        OR (l.kind = 'run.status' AND l.detail ->> 'to' = 'CANCELLED' AND l.actor_kind <> 'SYSTEM'))
      ORDER BY l.line DESC LIMIT ${LOOKED_AT}`,
  )
  return rows.map(({ actorKind, actorName, ...row }) => ({ ...row, actor: { kind: actorKind, name: actorName } }))
}

/** Whether anything of a run was held anew behind a line of its log. */
export async function wasHeldBehind(db: PrismaClient, runId: string, line: number): Promise<boolean> {
  const [row] = await db.$queryRaw<{ held: boolean }[]>(Prisma.sql`
    SELECT EXISTS (SELECT 1 FROM run_log WHERE run_id = ${runId}::uuid AND line > ${line}::int
      AND jsonb_exists(detail, 'holdUntil')) AS held`)
  return row?.held ?? false
}
