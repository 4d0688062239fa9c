import { Prisma } from '../generated/prisma/client.ts'
import type { Database } from './database.ts'

// What the API selects comes from its document: each function takes that selection and adds which rows.

type DefinitionQuery = Pick<Prisma.DefinitionDefaultArgs, 'select' | 'include'>
type VersionQuery = Pick<Prisma.VersionDefaultArgs, 'select' | 'include'>
type RunQuery = Pick<Prisma.RunDefaultArgs, 'select' | 'include'>
type StepQuery = Pick<Prisma.StepDefaultArgs, 'select' | 'include'>
type ResourceQuery = Pick<Prisma.ResourceDefaultArgs, 'select' | 'include'>
type TokenQuery = Pick<Prisma.ApiTokenDefaultArgs, 'select'>

export const definitionById = (db: Database, id: string, query: DefinitionQuery) =>
  db.prisma.definition.findUnique({ ...query, where: { id } })
export const definitionBySlug = (db: Database, slug: string, query: DefinitionQuery) =>
  db.prisma.definition.findUnique({ ...query, where: { slug } })
export const versionById = (db: Database, id: string, query: VersionQuery) =>
  db.prisma.version.findUnique({ ...query, where: { id } })
export const runById = (db: Database, id: string, query: RunQuery) =>
  db.prisma.run.findUnique({ ...query, where: { id } })
export const resourceById = (db: Database, id: string, query: ResourceQuery) =>
  db.prisma.resource.findUnique({ ...query, where: { id } })
export const stepById = (db: Database, id: string, query: StepQuery) =>
  db.prisma.step.findUnique({ ...query, where: { id } })

/** What a selection takes of a run besides its own columns. Runs are never deleted: it throws where there is none. */
export async function runRelations(db: Database, id: string, { select }: RunQuery): Promise<object> {
  const relations = Object.entries(select ?? {}).filter(([name]) => !(name in Prisma.RunScalarFieldEnum))
  if (relations.length === 0) return {}
  return db.prisma.run.findUniqueOrThrow({ select: Object.fromEntries(relations), where: { id } })
}

export const tokenById = (db: Database, id: string, query: TokenQuery) =>
  db.prisma.apiToken.findUnique({ ...query, where: { id } })
/** All of them, newest first. */
export const tokens = (db: Database, query: TokenQuery) =>
  db.prisma.apiToken.findMany({ ...query, orderBy: [{ createdAt: 'desc' }, { id: 'desc' }] })

export const definitionsByIds = async (db: Database, ids: readonly string[], query: DefinitionQuery) =>
  byId(await db.prisma.definition.findMany({ ...query, where: { id: { in: [...ids] } } }))
export const versionsByIds = async (db: Database, ids: readonly string[], query: VersionQuery) =>
  byId(await db.prisma.version.findMany({ ...query, where: { id: { in: [...ids] } } }))
export const runsByIds = async (db: Database, ids: readonly string[], query: RunQuery) =>
  byId(await db.prisma.run.findMany({ ...query, where: { id: { in: [...ids] } } }))
export const stepsByIds = async (db: Database, ids: readonly string[], query: StepQuery) =>
  byId(await db.prisma.step.findMany({ ...query, where: { id: { in: [...ids] } } }))
export const resourcesByIds = async (db: Database, ids: readonly string[], query: ResourceQuery) =>
  byId(await db.prisma.resource.findMany({ ...query, where: { id: { in: [...ids] } } }))
export const tokensByIds = async (db: Database, ids: readonly string[], query: TokenQuery) =>
  byId(await db.prisma.apiToken.findMany({ ...query, where: { id: { in: [...ids] } } }))

const byId = <Row extends { id: string }>(rows: Row[]) => new Map(rows.map((row) => [row.id, row]))
