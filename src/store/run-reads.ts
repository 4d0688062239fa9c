import { storableText } from '../domain/storable.ts'
import { Prisma } from '../generated/prisma/client.ts'
import { CleanupStatus, RunHealth, type RunSource, RunStatus } from '../generated/prisma/enums.ts'
import type { Database } from './database.ts'
import { bindInstant, bindUuid, type List, literals } from './keyset.ts'

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
    all: Record<string, Value>,
  ) => {
    if (values == null) return null
    return values.length === 0 ? Prisma.sql`FALSE` : Prisma.sql`${column} IN (${literals(values, Object.values(all))})`
  }
  const { definitionId, scope, scheduledFrom, scheduledTo, waiting, rehearsal, source } = filter
  const hasCue = Prisma.sql`EXISTS (SELECT 1 FROM steps s WHERE s.run_id = r.id AND s.parked)`
  const where = [
    definitionId == null ? null : Prisma.sql`r.definition_id = ${definitionId}::uuid`,
    oneOf(Prisma.sql`r.status`, filter.status, RunStatus),
    oneOf(Prisma.sql`r.health`, filter.health, RunHealth),
    oneOf(Prisma.sql`r.cleanup_status`, filter.cleanupStatus, CleanupStatus),
    scope == null ? null : Prisma.sql`r.scope = ${storableText(scope)}`,
    scheduledFrom == null ? null : Prisma.sql`r.scheduled_for >= ${scheduledFrom}::timestamptz`,
    scheduledTo == null ? null : Prisma.sql`r.scheduled_for < ${scheduledTo}::timestamptz`,
    waiting == null ? null : waiting ? hasCue : Prisma.sql`NOT ${hasCue}`,
    rehearsal == null ? null : Prisma.sql`r.rehearsal = ${rehearsal}`,
    source == null ? null : Prisma.sql`r.source = ${source}::run_source`,
  ].filter((part) => part !== null)
  return {
    from: Prisma.sql`runs r`,
    columns: Prisma.sql`r.id, r.occurrence_at AS "occurrenceAt"`,
    where: where.length === 0 ? Prisma.sql`TRUE` : Prisma.join(where, ' AND '),
    order: [
      { column: Prisma.sql`r.occurrence_at`, bind: bindInstant },
      { column: Prisma.sql`r.id`, bind: bindUuid },
    ],
    descending: true,
    parentColumn: ofDefinitions ? Prisma.sql`r.definition_id` : null,
  }
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
