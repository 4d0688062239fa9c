import { queryFromInfo } from '@pothos/plugin-prisma'
import type { GraphQLResolveInfo } from 'graphql'
import { uuidOf } from '../domain/ids.ts'
import { countsOf, type List, pagesOf, type Slice } from '../store/keyset.ts'
import { runById, runsByIds } from '../store/node-reads.ts'
import { type RunFilter, runList } from '../store/run-reads.ts'
import { needs } from './access.ts'
import { batched } from './batch.ts'
import { builder } from './builder.ts'
import { type CursorKind, connectionFrom, readSlice } from './connection.ts'
import type { GraphqlContext } from './context.ts'
import { EventDefinition } from './definition.ts'
import { filterUuid } from './ids.ts'
import { Run } from './run.ts'
import { CleanupStatus, RunHealth, RunSource, RunStatus } from './run-enums.ts'

const RUN_CURSOR: CursorKind = { name: 'runs', values: ['instant', 'uuid'] }
type RunKeyRow = { id: string; occurrenceAt: Date }

export const RunFilterInput = builder.inputType('RunFilter', {
  description: 'Which runs. What is omitted does not restrict.',
  fields: (t) => ({
    definitionId: t.id({ description: 'Of this definition.' }),
    status: t.field({ type: [RunStatus], description: 'In one of these statuses.' }),
    health: t.field({ type: [RunHealth], description: 'With one of these healths.' }),
    scope: t.string({ description: "In this scope; '' for those without one." }),
    scheduledFrom: t.field({ type: 'DateTime', description: 'With scheduledFor at or after this instant.' }),
    scheduledTo: t.field({ type: 'DateTime', description: 'With scheduledFor before this instant.' }),
    waiting: t.boolean({ description: 'True: with a cue that waits for a person. False: without one.' }),
    cleanupStatus: t.field({ type: [CleanupStatus], description: 'With one of these cleanup statuses.' }),
    rehearsal: t.boolean({ description: 'True: rehearsals only. False: real runs only.' }),
    source: t.field({ type: RunSource, description: 'Made by this.' }),
  }),
})

/** One page of runs for each parent, with the runs themselves in one query. */
async function runPages(
  parents: readonly string[],
  { list, slice, context, info }: { list: List; slice: Slice; context: GraphqlContext; info: GraphQLResolveInfo },
) {
  const { db } = context.control
  const pages = await pagesOf<RunKeyRow>(db, parents, { list, slice })
  const ids = [...pages.values()].flatMap(({ rows }) => rows.map(({ id }) => id))
  const nodes = await runsByIds(db, ids, queryFromInfo({ context, info, path: ['edges', 'node'] }))
  return new Map([...pages].map(([parent, page]) => [parent, { page, nodes }]))
}

type ListArgs = Parameters<typeof readSlice>[0] & { filter?: RunFilter | null | undefined }

/** A filter from a client, with ids as the store has them. */
export const storedFilter = (filter: RunFilter | null | undefined): RunFilter => ({
  ...filter,
  definitionId: filterUuid(filter?.definitionId, 'Definition'),
})

/** The runs of one definition, or ('') of all. */
async function runConnection(
  parent: string,
  { filter, ...args }: ListArgs,
  { context, info }: { context: GraphqlContext; info: GraphQLResolveInfo },
) {
  const slice = readSlice(args, RUN_CURSOR)
  const list = runList(storedFilter(filter), { ofDefinitions: parent !== '' })
  const found = await batched(context, info, (ids) => runPages(ids, { list, slice, context, info })).load(parent)
  return connectionFrom(found?.page ?? { rows: [], more: false }, {
    slice,
    kind: RUN_CURSOR,
    keyOf: ({ occurrenceAt, id }) => [occurrenceAt.getTime(), id],
    nodeOf: ({ id }) => found?.nodes.get(id),
    totalCount: async () =>
      (await batched(context, info, (ids) => countsOf(context.control.db, ids, list), 'count').load(parent)) ?? null,
  })
}

builder.queryFields((t) => ({
  run: t.prismaField({
    type: 'Run',
    nullable: true,
    authScopes: needs('VIEWER'),
    description: 'One run; null when there is none.',
    args: { id: t.arg.id({ required: true, description: 'Its id.' }) },
    resolve: (query, _root, { id }, { control }) => {
      const uuid = uuidOf(id, 'Run')
      return uuid === null ? null : runById(control.db, uuid, query)
    },
  }),
  runs: t.connection({
    type: Run,
    authScopes: needs('VIEWER'),
    description: 'Runs, newest occurrence first.',
    args: { filter: t.arg({ type: RunFilterInput, description: 'Which; all where omitted.' }) },
    resolve: (_root, args, context, info) => runConnection('', args, { context, info }),
  }),
}))

builder.prismaObjectField(EventDefinition, 'runs', (t) =>
  t.connection({
    type: Run,
    description: 'Its runs, newest occurrence first.',
    args: { filter: t.arg({ type: RunFilterInput, description: 'Which; all where omitted.' }) },
    resolve: ({ id }, args, context, info) => runConnection(id, args, { context, info }),
  }),
)
