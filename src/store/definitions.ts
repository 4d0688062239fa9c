import type { Actor } from '../domain/actor.ts'
import type { RunLine } from '../domain/log.ts'
import type { Parameter } from '../domain/parameters.ts'
import type { Instant } from '../domain/picture.ts'
import type { DraftSpec, Publishable } from '../domain/spec.ts'
import type { VerificationReport } from '../domain/verification.ts'
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts'
import type { DefinitionState } from '../generated/prisma/enums.ts'
import { type AuditEntry, auditIf } from './audit.ts'
import { toJsonb } from './json.ts'
import { oldestZoneData } from './materialise.ts'
import { at, atOrNull, countOfRun, logLines } from './sql.ts'
import { changeWithUpcoming, UNCHANGED, type UpcomingPlan } from './upcoming.ts'

/** What an author writes; text is storable, and all of it may be unfinished. */
export type DefinitionContent = {
  title: string
  description: string | null
  timeZone: string
  graceSeconds: number
  concurrencyKey: string | null
  parameters: Parameter[]
  draft: DraftSpec
}

/** A version as it is stored, with its number. */
export type StoredVersion = {
  id: string
  version: number
  spec: unknown
  timeZone: string
  graceSeconds: number
  concurrencyKey: string | null
  parameters: unknown
  verifiedAt: Date | null
  /** The report of its last verification. */
  verification: unknown
}

/** A definition as its controls have to know it. */
export type StoredDefinition = {
  id: string
  state: DefinitionState
  schedulePaused: boolean
  scheduleResumedAt: Date | null
  materialisedUntil: Date | null
  title: string
  timeZone: string
  graceSeconds: number
  concurrencyKey: string | null
  parameters: unknown
  draft: unknown
  updatedAt: Date
  /** Null before anything was published. */
  currentVersion: StoredVersion | null
}

/** Reads a definition with its current version; null: there is none. */
export async function readDefinition(db: PrismaClient, id: string): Promise<StoredDefinition | null> {
  // As two of the model's reads it took five times as long, a fifth of what publishing takes.
  const [row] = await db.$queryRaw<
    (StoredDefinition & { ofVersion: Omit<StoredVersion, 'verifiedAt'>; verifiedAt: Date | null })[]
  >(Prisma.sql`
    SELECT d.id, d.state, d.schedule_paused AS "schedulePaused", d.schedule_resumed_at AS "scheduleResumedAt",
      d.materialised_until AS "materialisedUntil", d.title, d.time_zone AS "timeZone", d.grace_seconds AS "graceSeconds",
      d.concurrency_key AS "concurrencyKey", d.parameters, d.draft, d.updated_at AS "updatedAt",
      CASE WHEN v.id IS NOT NULL THEN jsonb_build_object('id', v.id, 'version', v.version, 'spec', v.spec,
        'timeZone', v.time_zone, 'graceSeconds', v.grace_seconds, 'concurrencyKey', v.concurrency_key,
        'parameters', v.parameters, 'verification', v.verification) END AS "ofVersion", v.verified_at AS "verifiedAt"
    FROM definitions d LEFT JOIN versions v ON v.id = d.current_version_id WHERE d.id = ${id}::uuid`)
  if (row === undefined) return null
  const { ofVersion, verifiedAt, ...definition } = row
  return { ...definition, currentVersion: ofVersion === null ? null : { ...ofVersion, verifiedAt } }
}

/** The id of the definition that has a slug; null: nobody has it. */
export async function readSlugHolder(db: PrismaClient, slug: string): Promise<string | null> {
  const holder = await db.definition.findUnique({ where: { slug }, select: { id: true } })
  return holder?.id ?? null
}

/** Creates a definition unless its slug is taken: answers whether it did. */
export async function insertDefinitionIfSlugFree(
  db: PrismaClient,
  { id, slug, content, audit }: { id: string; slug: string; content: DefinitionContent; audit: AuditEntry },
): Promise<boolean> {
  const now = at(audit.at)
  const rows = await db.$queryRaw<{ id: string }[]>(Prisma.sql`
    WITH created AS (
      INSERT INTO definitions (id, slug, title, description, time_zone, grace_seconds, concurrency_key, parameters, draft,
        created_at, updated_at)
      VALUES (${id}::uuid, ${slug}, ${content.title}, ${content.description}, ${content.timeZone}, ${content.graceSeconds},
        ${content.concurrencyKey}, ${toJsonb(content.parameters)}::jsonb, ${toJsonb(content.draft)}::jsonb, ${now}, ${now})
      ON CONFLICT (slug) DO NOTHING
      RETURNING id
    ), audited AS (${auditIf(Prisma.sql`created`, audit)})
    SELECT id FROM created`)
  return rows.length > 0
}

/**
 * Changes what is given of a definition, if it says something else than that, is not archived and, where `ifUpdatedAt` is
 * given, nobody changed it since: answers whether it did. The audit entry gets the `fields` that said something else.
 * `updated_at` always grows, so that two changes within a millisecond are told apart.
 */
export async function updateDefinitionIfItDiffers(
  db: PrismaClient,
  change: { id: string; content: Partial<DefinitionContent>; ifUpdatedAt: Date | null; audit: AuditEntry },
): Promise<boolean> {
  const { id, content, ifUpdatedAt, audit } = change
  const { title, description, timeZone, graceSeconds, concurrencyKey, parameters, draft } = content
  const given: { field: keyof DefinitionContent; column: Prisma.Sql; value: Prisma.Sql }[] = []
  const give = (field: keyof DefinitionContent, column: Prisma.Sql, value: Prisma.Sql) =>
    given.push({ field, column, value })
  if (title !== undefined) give('title', Prisma.sql`title`, Prisma.sql`${title}::text`)
  if (description !== undefined) give('description', Prisma.sql`description`, Prisma.sql`${description}::text`)
  if (timeZone !== undefined) give('timeZone', Prisma.sql`time_zone`, Prisma.sql`${timeZone}::text`)
  if (graceSeconds !== undefined) give('graceSeconds', Prisma.sql`grace_seconds`, Prisma.sql`${graceSeconds}::int`)
  if (concurrencyKey !== undefined)
    give('concurrencyKey', Prisma.sql`concurrency_key`, Prisma.sql`${concurrencyKey}::text`)
  if (parameters !== undefined) give('parameters', Prisma.sql`parameters`, Prisma.sql`${toJsonb(parameters)}::jsonb`)
  if (draft !== undefined) give('draft', Prisma.sql`draft`, Prisma.sql`${toJsonb(draft)}::jsonb`)
  if (given.length === 0) return false
  const values = given.map(({ column, value }) => Prisma.sql`${value} AS ${column}`)
  const set = given.map(({ column }) => Prisma.sql`${column} = g.${column}`)
  const differing = given.map(
    ({ field, column }) => Prisma.sql`CASE WHEN d.${column} IS DISTINCT FROM g.${column} THEN ${field}::text END`,
  )
  const unchanged = ifUpdatedAt === null ? Prisma.empty : Prisma.sql`AND d.updated_at = ${at(ifUpdatedAt.getTime())}`
  const rows = await db.$queryRaw<{ id: string }[]>(Prisma.sql`
    WITH given AS (SELECT ${Prisma.join(values)}),
    found AS (
      SELECT d.id, array_remove(ARRAY[${Prisma.join(differing)}], NULL) AS fields FROM definitions d, given g
      WHERE d.id = ${id}::uuid AND d.state <> 'ARCHIVED' ${unchanged} FOR NO KEY UPDATE OF d
    ), updated AS (
      UPDATE definitions d SET ${Prisma.join(set)},
        updated_at = GREATEST(${at(audit.at)}, d.updated_at + interval '1 millisecond')
      FROM found f, given g WHERE d.id = f.id AND cardinality(f.fields) > 0 RETURNING d.id, f.fields
    ), audited AS (${auditIf(Prisma.sql`updated`, audit, Prisma.sql`jsonb_build_object('fields', fields)`)})
    SELECT id FROM updated`)
  return rows.length > 0
}

/**
 * Makes a new version the current one and the definition READY, if definition and upcoming runs are still as they were
 * read: same draft, same current version, not archived. A version that passed its verification takes the upcoming runs
 * along. Answers the runs whose logs grew; null: somebody was first. The guard makes numbers consecutive: the next one
 * follows the current version's. `updated_at` stays, for the draft does: publishing twice with the same `ifUpdatedAt` is
 * no conflict.
 */
export async function publishIfUnchanged(
  db: PrismaClient,
  publication: {
    read: StoredDefinition
    id: string
    version: number
    content: Publishable
    report: VerificationReport
    upcoming: UpcomingPlan
    /** How far the version's schedule is expanded then; the epoch: not at all; null: there is nothing to make of it. */
    materialisedUntil: Instant | null
    actor: Actor
    audit: AuditEntry
  },
): Promise<{ runId: string; line: number }[] | null> {
  const { read, id, version, content, report, upcoming, materialisedUntil, actor, audit } = publication
  const verifiedAt = report.passed ? at(audit.at) : Prisma.sql`NULL::timestamptz`
  const current = read.currentVersion?.id ?? null
  const change = Prisma.sql`
    published AS (
      UPDATE definitions SET state = 'READY', current_version_id = ${id}::uuid, materialised_until = ${atOrNull(materialisedUntil)},
        zone_data = ${oldestZoneData(upcoming.zoneData)}
      WHERE id = ${read.id}::uuid AND state <> 'ARCHIVED' AND updated_at = ${at(read.updatedAt.getTime())}
        AND current_version_id IS NOT DISTINCT FROM ${current}::uuid AND ${UNCHANGED}
      RETURNING id
    ), made AS (
      INSERT INTO versions (id, definition_id, version, spec, time_zone, grace_seconds, concurrency_key, parameters,
        published_at, published_by_kind, published_by_name, verified_at, verification)
      SELECT ${id}::uuid, id, ${version}, ${toJsonb(content.spec)}::jsonb, ${content.timeZone}, ${content.graceSeconds},
        ${content.concurrencyKey}, ${toJsonb(content.parameters)}::jsonb, ${at(audit.at)}, ${actor.kind}::actor_kind, ${actor.name},
        ${verifiedAt}, ${toJsonb(report)}::jsonb
      FROM published
    ), audited AS (${auditIf(Prisma.sql`published`, audit)}),
    done AS (SELECT id FROM published)`
  return changeWithUpcoming(db, change, upcoming)
}

/** What archiving did: the runs it cancelled, with their last lines; or how many runs stand against it. */
export type Archived = { archived: boolean; runsGoingOn: number; cancelled: { runId: string; line: number }[] }

// An upcoming run that the schedule made goes with its definition; every other run that is not over, or whose cleanup is
// not, stands against archiving.
const UPCOMING_BY_SCHEDULE = Prisma.sql`(status = 'SCHEDULED' AND source = 'SCHEDULE')`
const GOING_ON = Prisma.sql`(status NOT IN ('COMPLETED', 'CANCELLED', 'FAILED', 'MISSED')
  OR cleanup_status IN ('PENDING', 'INCOMPLETE'))`

/**
 * Archives a definition that is not archived and has no run going on, and cancels its upcoming schedule-made runs.
 * `line` is what each cancelled run's log gets; the number of its cancelled steps is added.
 */
export async function archiveIfIdle(
  db: PrismaClient,
  { id, because, line, audit }: { id: string; because: string; line: RunLine; audit: AuditEntry },
): Promise<Archived> {
  const now = at(audit.at)
  const { actor } = audit
  // Locked first and looked at then: a run that is being made holds a lock on the definition, and one that is being
  // started holds its own row. What the third statement sees is therefore not older than what they wrote.
  const [, , rows] = await db.$transaction([
    db.$queryRaw(Prisma.sql`SELECT 1 FROM definitions WHERE id = ${id}::uuid FOR UPDATE`),
    db.$queryRaw(Prisma.sql`
      SELECT count(*) FROM (
        SELECT 1 FROM runs WHERE definition_id = ${id}::uuid AND ${GOING_ON} ORDER BY id FOR UPDATE
      ) locked`),
    db.$queryRaw<{ archived: boolean; runsGoingOn: number; cancelled: { runId: string; line: number }[] }[]>(Prisma.sql`
      WITH going_on AS (
        SELECT count(*)::int AS runs FROM runs
        WHERE definition_id = ${id}::uuid AND ${GOING_ON} AND NOT ${UPCOMING_BY_SCHEDULE}
      ), archived AS (
        UPDATE definitions d SET state = 'ARCHIVED', updated_at = GREATEST(${now}, d.updated_at + interval '1 millisecond')
        FROM going_on WHERE d.id = ${id}::uuid AND d.state <> 'ARCHIVED' AND going_on.runs = 0
        RETURNING d.id
      ), cancelled AS (
        UPDATE runs SET status = 'CANCELLED', ended_at = ${now}, ended_because = ${because},
          ended_by_kind = ${actor.kind}::actor_kind, ended_by_name = ${actor.name}, wake_at = NULL,
          last_error = NULL, blocked_by = NULL, fence = fence + 1, last_line = last_line + 1
        WHERE definition_id = (SELECT id FROM archived) AND ${UPCOMING_BY_SCHEDULE}
        RETURNING id, last_line
      ), cancelled_steps AS (
        UPDATE steps SET status = 'CANCELLED', finished_at = ${now}
        WHERE run_id IN (SELECT id FROM cancelled) AND status = 'PENDING' RETURNING run_id
      ), logged AS (
        ${logLines(
          Prisma.sql`SELECT id, last_line - 1 AS last_line FROM cancelled`,
          [line],
          Prisma.sql`|| jsonb_build_object('cancelledSteps', ${countOfRun(Prisma.sql`cancelled_steps`, Prisma.sql`o.id`)})`,
        )}
      ), audited AS (${auditIf(Prisma.sql`archived`, audit)})
      SELECT EXISTS (SELECT 1 FROM archived) AS archived, (SELECT runs FROM going_on) AS "runsGoingOn",
        (SELECT coalesce(jsonb_agg(jsonb_build_object('runId', id, 'line', last_line)), '[]') FROM cancelled) AS cancelled`),
  ])
  const [row] = rows
  if (row === undefined) throw new Error('Archiving answered nothing')
  return row
}
