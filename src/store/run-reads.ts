import { storableData } from '../domain/storable.ts'
import { Prisma } from '../generated/prisma/client.ts'
import { CleanupStatus, RunHealth, type RunSource, RunStatus } from '../generated/prisma/enums.ts'
import type { Database } from './database.ts'
import { bindInstant, bindUuid, type List, literals, type Part } from './keyset.ts'

export type RunFilter = {
  definitionId?: string | null
  status?: readonly RunStatus[] | null
  health?: readonly RunHealth[] | null
  scope?: string | null
  /** Inclusive. */
  scheduledFrom?: Date | null
  /** Exclusive. */
  scheduledTo?: Date | null
  waiting?: boolean | null
  cleanupStatus?: readonly CleanupStatus[] | null
  rehearsal?: boolean | null
  source?: RunSource | null
}

/** The runs of everything or, `ofDefinitions`, of each definition; newest occurrence first. A key is [occurrenceAt, id]. */
export function runList(filter: RunFilter, { ofDefinitions }: { ofDefinitions: boolean }): List {
  const oneOf = <Value extends string>(
    column: Prisma.Sql,
    values: readonly Value[] | null | undefined,
    { all, type }: { all: Record<string, Value>; type: Prisma.Sql },
  ) => {
    if (values == null) return null
    // Not IN, which says of one value that it is equal: see what is said of parts.
    return Prisma.sql`${column} = ANY (ARRAY[${literals(values, Object.values(all))}]::${type}[])`
  }
  const { definitionId, scope, waiting, rehearsal, source } = filter
  const hasCue = Prisma.sql`EXISTS (SELECT 1 FROM steps s WHERE s.run_id = r.id AND s.parked)`
  const where = [
    definitionId == null ? null : Prisma.sql`r.definition_id = ${definitionId}::uuid`,
    oneOf(Prisma.sql`r.status`, filter.status, { all: RunStatus, type: Prisma.sql`run_status` }),
    oneOf(Prisma.sql`r.health`, filter.health, { all: RunHealth, type: Prisma.sql`run_health` }),
    oneOf(Prisma.sql`r.cleanup_status`, filter.cleanupStatus, { all: CleanupStatus, type: Prisma.sql`cleanup_status` }),
    scope == null ? null : Prisma.sql`r.scope = ${storableData(scope)}`,
    // What the index of those that have one is restricted by.
    scope ? Prisma.sql`r.scope <> ''` : null,
    within(Prisma.sql`r.scheduled_for`, filter),
    waiting == null ? null : waiting ? hasCue : Prisma.sql`NOT ${hasCue}`,
    rehearsal == null ? null : Prisma.sql`r.rehearsal = ${rehearsal}`,
    source == null ? null : Prisma.sql`r.source = ${source}::run_source`,
  ].filter((part) => part !== null)
  return {
    table: Prisma.sql`runs`,
    alias: Prisma.sql`r`,
    columns: Prisma.sql`r.id, r.occurrence_at AS "occurrenceAt"`,
    where: where.length === 0 ? Prisma.sql`TRUE` : Prisma.join(where, ' AND '),
    order: [
      { column: Prisma.sql`r.occurrence_at`, bind: bindInstant },
      { column: Prisma.sql`r.id`, bind: bindUuid },
    ],
    descending: true,
    parentColumn: ofDefinitions ? Prisma.sql`r.definition_id` : null,
    parts: partsOf(filter, { ofDefinitions }),
  }
}

function within(instant: Prisma.Sql, { scheduledFrom, scheduledTo }: RunFilter): Prisma.Sql | null {
  const bounds = [
    scheduledFrom == null ? null : Prisma.sql`${instant} >= ${scheduledFrom}::timestamptz`,
    scheduledTo == null ? null : Prisma.sql`${instant} < ${scheduledTo}::timestamptz`,
  ].filter((bound) => bound !== null)
  return bounds.length === 0 ? null : Prisma.join(bounds, ' AND ')
}

/** The parts of the list that indexes have in its order: by the instants of the filter, else by what is true of fewest. */
function partsOf(filter: RunFilter, { ofDefinitions }: { ofDefinitions: boolean }): Part[] {
  const unmoved = within(Prisma.sql`r.occurrence_at`, filter)
  // What was not moved starts at its occurrence's instant.
  if (unmoved !== null) return [{ only: Prisma.sql`NOT r.moved AND ${unmoved}` }, { only: Prisma.sql`r.moved` }]
  const { cleanupStatus, health, status } = filter
  const each = <Value extends string>(lead: Prisma.Sql, values: readonly Value[], all: Record<string, Value>) =>
    Object.values(all)
      .filter((value) => values.includes(value))
      .map((value) => ({ lead, value: literals([value], [value]) }))
  if (cleanupStatus?.every((value) => value === 'PENDING' || value === 'INCOMPLETE'))
    return each(Prisma.sql`r.cleanup_status`, cleanupStatus, CleanupStatus)
  if (health?.every((value) => value !== 'OK')) return each(Prisma.sql`r.health`, health, RunHealth)
  // Of these an index has the whole list in its order, and most of what it has is COMPLETED, or SCHEDULED at its front. Of
  // the other statuses there may be none in it, and they are few of all: the planner knows where less is walked, of one
  // definition; of many at once it does not know which.
  const { definitionId, scope, rehearsal } = filter
  const isOrdered = definitionId != null || !!scope || rehearsal === true
  const isCommon = status?.some((value) => value === 'COMPLETED' || value === 'SCHEDULED')
  if (status == null || ofDefinitions || (isOrdered && isCommon)) return []
  return each(Prisma.sql`r.status`, status, RunStatus)
}

/**
 * What of ledgers is shown: what was made; and what a step may have made, from when it could not be taken back. A retry of
 * that sets its attempts back, and the number of its claim never, so that it stays in sight.
 */
export const isShown = ({ prisma }: Database) =>
  ({
    OR: [
      { placeholder: false },
      { status: { in: ['FAILED', 'ABANDONED'] } },
      { claimNo: { gt: prisma.resource.fields.revertAttempts } },
    ],
  }) satisfies Prisma.ResourceWhereInput
