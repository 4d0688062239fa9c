import { storableData } from '../domain/storable.ts'
import { Prisma } from '../generated/prisma/client.ts'
import type { DefinitionState } from '../generated/prisma/enums.ts'
import { bindInt, bindText, containing, type List } from './keyset.ts'

export type DefinitionFilter = { state?: readonly DefinitionState[] | null; search?: string | null }

/** All definitions, by slug. Rows are {id, slug}; a key is [slug]. */
export function definitionList({ state, search }: DefinitionFilter): List {
  const pattern = search == null ? null : containing(storableData(search))
  const where = [
    state == null ? null : Prisma.sql`d.state = ANY(${[...state]}::text[]::definition_state[])`,
    pattern === null
      ? null
      : Prisma.sql`(d.slug ILIKE ${pattern} OR d.title ILIKE ${pattern} OR d.description ILIKE ${pattern})`,
  ].filter((part) => part !== null)
  return {
    table: Prisma.sql`definitions`,
    alias: Prisma.sql`d`,
    columns: Prisma.sql`d.id, d.slug`,
    where: where.length === 0 ? Prisma.sql`TRUE` : Prisma.join(where, ' AND '),
    order: [{ column: Prisma.sql`d.slug`, bind: bindText }],
    descending: false,
    parentColumn: null,
    parts: [],
  }
}

/** The versions of each definition, newest first. Rows are {id, version}; a key is [version]. */
export const versionList: List = {
  table: Prisma.sql`versions`,
  alias: Prisma.sql`v`,
  columns: Prisma.sql`v.id, v.version`,
  where: Prisma.sql`TRUE`,
  order: [{ column: Prisma.sql`v.version`, bind: bindInt }],
  descending: true,
  parentColumn: Prisma.sql`v.definition_id`,
  parts: [],
}
