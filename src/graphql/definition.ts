import { queryFromInfo } from '@pothos/plugin-prisma'
import type { GraphQLResolveInfo } from 'graphql'
import { uuidOf } from '../domain/ids.ts'
import { storableData } from '../domain/storable.ts'
import { type DraftFindings, validateDraft } from '../domain/validate-draft.ts'
import { definitionList, versionList } from '../store/definition-reads.ts'
import { countsOf, type Page, pagesOf } from '../store/keyset.ts'
import { definitionById, definitionBySlug, definitionsByIds, versionsByIds } from '../store/node-reads.ts'
import { needs } from './access.ts'
import { charge, sizeOf } from './answer-size.ts'
import { batched } from './batch.ts'
import { builder } from './builder.ts'
import { type CursorKind, connectionFrom, readSlice } from './connection.ts'
import type { GraphqlContext } from './context.ts'
import { InputIssue } from './errors.ts'
import { badUserInput } from './request-errors.ts'
import { EventSpec, Parameter } from './spec.ts'
import { objectOf, objectsOf } from './stored-json.ts'
import { EventVersion } from './version.ts'

const DefinitionState = builder.enumType('DefinitionState', {
  description: 'How far a definition has got.',
  values: {
    DRAFT: { description: 'Never published: nothing of it can run.' },
    READY: { description: 'Published: its current version can run.' },
    ARCHIVED: { description: 'Put away: it is not changed, published or started any more.' },
  },
})

const DRAFT_COLUMNS = {
  title: true,
  draft: true,
  timeZone: true,
  graceSeconds: true,
  concurrencyKey: true,
  parameters: true,
} as const

type Draft = {
  title: string
  draft: unknown
  timeZone: string
  graceSeconds: number
  concurrencyKey: string | null
  parameters: unknown
}

/** How much more checking a draft takes than answering it. */
const CHECKING = 4

function findings({ draft, ...settings }: Draft, context: GraphqlContext): DraftFindings {
  charge(context, CHECKING * sizeOf(draft))
  return validateDraft({ spec: draft, ...settings }, context.control)
}

const VERSION_CURSOR: CursorKind = { name: 'versions', values: ['int'] }
const DEFINITION_CURSOR: CursorKind = { name: 'definitions', values: ['text'] }

/** A definition's columns are loaded as they are asked for: a draft can be large. */
export const EventDefinition = builder.prismaNode('Definition', {
  name: 'EventDefinition',
  id: { field: 'id', description: 'def_<uuid>' },
  select: { id: true },
  description: 'An event as authored: a draft, and the versions that were published of it.',
  fields: (t) => ({
    slug: t.exposeString('slug', {
      description: 'Unique name for addresses and files: lower-case letters, digits and -.',
    }),
    title: t.exposeString('title', { description: 'Name for people.' }),
    description: t.exposeString('description', { nullable: true, description: 'What it is about.' }),
    state: t.expose('state', { type: DefinitionState, description: 'Draft, ready or archived.' }),
    schedulePaused: t.exposeBoolean('schedulePaused', {
      description: 'True: its schedule makes and starts no runs until it is resumed.',
    }),
    timeZone: t.expose('timeZone', {
      type: 'TimeZone',
      description: 'What the next version will hold, like the draft: the zone of its local times.',
    }),
    graceSeconds: t.exposeInt('graceSeconds', {
      description: 'What the next version will hold: how late a run may still start, in seconds.',
    }),
    concurrencyKey: t.exposeString('concurrencyKey', {
      nullable: true,
      description: 'What the next version will hold: template of the key of which only one run holds at a time.',
    }),
    parameters: t.field({
      type: [Parameter],
      description: 'What the next version will hold: what a run asks for when it starts.',
      select: { parameters: true },
      resolve: ({ parameters }) => objectsOf(parameters),
    }),
    draft: t.field({
      type: EventSpec,
      description: 'What the next version will do. It may be unfinished.',
      select: { draft: true },
      resolve: ({ draft }) => objectOf(draft),
    }),
    draftIssues: t.field({
      type: [InputIssue],
      description: 'What is still wrong with the draft; empty means that it can be published.',
      select: DRAFT_COLUMNS,
      resolve: (draft, _args, context) => findings(draft, context).issues,
    }),
    draftWarnings: t.field({
      type: [InputIssue],
      description: 'What in the draft is allowed but odd.',
      select: DRAFT_COLUMNS,
      resolve: (draft, _args, context) => findings(draft, context).warnings,
    }),
    currentVersion: t.relation('currentVersion', {
      nullable: true,
      description: 'The version that new runs take; null before anything was published.',
    }),
    versionVerified: t.boolean({
      description: 'Whether a verification of the current version passed. While not, its schedule is held.',
      select: { currentVersion: { select: { verifiedAt: true } } },
      resolve: ({ currentVersion }) => currentVersion?.verifiedAt != null,
    }),
    versions: t.connection({
      type: EventVersion,
      description: 'Everything that was published, newest first.',
      resolve: async ({ id }, args, context, info) => {
        const slice = readSlice(args, VERSION_CURSOR)
        const found = await batched(context, info, (ids) => versionPages(ids, { slice, context, info })).load(id)
        if (found === undefined) throw new Error(`no page of versions was read for ${id}`)
        return connectionFrom(found.page, {
          slice,
          kind: VERSION_CURSOR,
          keyOf: ({ version }) => [version],
          nodeOf: (row) => found.nodes.get(row.id),
          totalCount: async () =>
            (await batched(context, info, (ids) => countsOf(context.control.db, ids, versionList), 'count').load(id)) ??
            null,
        })
      },
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description:
        'When it was last changed; pass it as ifUpdatedAt to change nothing that somebody else changed since.',
    }),
  }),
})

type VersionRow = { id: string; version: number }
type Slice = ReturnType<typeof readSlice>

async function versionPages(
  ids: readonly string[],
  { slice, context, info }: { slice: Slice; context: GraphqlContext; info: GraphQLResolveInfo },
) {
  const { db } = context.control
  const pages = await pagesOf<VersionRow>(db, ids, { list: versionList, slice })
  const nodes = await versionsByIds(db, idsIn(pages), queryFromInfo({ context, info, path: ['edges', 'node'] }))
  return new Map([...pages].map(([id, page]) => [id, { page, nodes }]))
}

const idsIn = (pages: ReadonlyMap<string, Page<{ id: string }>>) =>
  [...pages.values()].flatMap(({ rows }) => rows.map(({ id }) => id))

const DefinitionFilterInput = builder.inputType('DefinitionFilter', {
  description: 'Which definitions. What is omitted does not restrict.',
  fields: (t) => ({
    state: t.field({ type: [DefinitionState], description: 'In one of these states.' }),
    search: t.string({ description: 'With this text in slug, title or description; upper or lower case alike.' }),
  }),
})

builder.queryFields((t) => ({
  definition: t.prismaField({
    type: 'Definition',
    nullable: true,
    authScopes: needs('VIEWER'),
    description: 'One definition, by its id or its slug; null when there is none.',
    args: {
      id: t.arg.id({ description: 'Its id. Give this or slug.' }),
      slug: t.arg.string({ description: 'Its slug. Give this or id.' }),
    },
    resolve: (query, _root, { id, slug }, { control }) => {
      if ((id == null) === (slug == null)) throw badUserInput('Give id or slug of the definition, and not both.')
      if (slug != null) return definitionBySlug(control.db, storableData(slug), query)
      const uuid = id == null ? null : uuidOf(id, 'Definition')
      return uuid === null ? null : definitionById(control.db, uuid, query)
    },
  }),
  definitions: t.connection({
    type: EventDefinition,
    authScopes: needs('VIEWER'),
    description: 'All definitions, by slug.',
    args: { filter: t.arg({ type: DefinitionFilterInput, description: 'Which; all where omitted.' }) },
    resolve: async (_root, { filter, ...args }, context, info) => {
      const { db } = context.control
      const slice = readSlice(args, DEFINITION_CURSOR)
      const list = definitionList(filter ?? {})
      const pages = await pagesOf<{ id: string; slug: string }>(db, [''], { list, slice })
      const page = pages.get('') ?? { rows: [], more: false }
      const nodes = await definitionsByIds(db, idsIn(pages), queryFromInfo({ context, info, path: ['edges', 'node'] }))
      return connectionFrom(page, {
        slice,
        kind: DEFINITION_CURSOR,
        keyOf: (row) => [row.slug],
        nodeOf: (row) => nodes.get(row.id),
        totalCount: async () => (await countsOf(db, [''], list)).get('') ?? null,
      })
    },
  }),
}))
