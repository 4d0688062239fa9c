import { brandWithType } from '@pothos/core'
import { queryFromInfo } from '@pothos/plugin-prisma'
import type { GraphQLResolveInfo } from 'graphql'
import { includesRole } from '../domain/access.ts'
import { parseId } from '../domain/ids.ts'
import {
  definitionsByIds,
  resourcesByIds,
  runsByIds,
  stepsByIds,
  tokensByIds,
  versionsByIds,
} from '../store/node-reads.ts'
import { needs, tokensAreForAdmins } from './access.ts'
import { builder } from './builder.ts'
import type { GraphqlContext } from './context.ts'
import { Cue } from './cue.ts'
import { EventDefinition } from './definition.ts'
import { badUserInput } from './request-errors.ts'
import { Run } from './run.ts'
import { Resource } from './run-parts.ts'
import { Step } from './step.ts'
import { ApiToken } from './tokens.ts'
import { EventVersion } from './version.ts'

/** Most ids that `nodes` takes at once: as many as a page holds. */
const MAX_NODES = 500

type Found = ReadonlyMap<string, object>

/** How the nodes of each type are loaded, all of one type at once. */
const LOADERS = {
  EventDefinition: (ids: string[], context: GraphqlContext, info: GraphQLResolveInfo): Promise<Found> =>
    definitionsByIds(context.control.db, ids, queryFromInfo({ context, info, typeName: 'EventDefinition' })),
  EventVersion: (ids: string[], context: GraphqlContext, info: GraphQLResolveInfo): Promise<Found> =>
    versionsByIds(context.control.db, ids, queryFromInfo({ context, info, typeName: 'EventVersion' })),
  Run: (ids: string[], context: GraphqlContext, info: GraphQLResolveInfo): Promise<Found> =>
    runsByIds(context.control.db, ids, queryFromInfo({ context, info, typeName: 'Run' })),
  Step: (ids: string[], context: GraphqlContext, info: GraphQLResolveInfo): Promise<Found> =>
    stepsByIds(context.control.db, ids, queryFromInfo({ context, info, typeName: 'Step' })),
  // A step that never asked for a person is no cue; one that was answered still is.
  Cue: async (ids: string[], context: GraphqlContext, info: GraphQLResolveInfo): Promise<Found> => {
    const steps = await stepsByIds(context.control.db, ids, queryFromInfo({ context, info, typeName: 'Cue' }))
    return new Map([...steps].filter(([, step]) => step.parkedAt !== null))
  },
  Resource: (ids: string[], context: GraphqlContext, info: GraphQLResolveInfo): Promise<Found> =>
    resourcesByIds(context.control.db, ids, queryFromInfo({ context, info, typeName: 'Resource' })),
  ApiToken: (ids: string[], context: GraphqlContext, info: GraphQLResolveInfo): Promise<Found> =>
    tokensByIds(context.control.db, ids, queryFromInfo({ context, info, typeName: 'ApiToken' })),
}

type Loadable = keyof typeof LOADERS
const REFS = { EventDefinition, EventVersion, Run, Step, Cue, Resource, ApiToken }
const LOADABLE: Record<string, Loadable> = {
  Definition: 'EventDefinition',
  Version: 'EventVersion',
  Run: 'Run',
  Step: 'Step',
  Cue: 'Cue',
  Resource: 'Resource',
  ApiToken: 'ApiToken',
}

/** The nodes of these ids in their order; null for an id that is malformed, or of nothing. */
async function loadNodes(ids: readonly string[], context: GraphqlContext, info: GraphQLResolveInfo) {
  const wanted = ids.map((id) => {
    const parsed = parseId(id)
    const type = parsed === null ? undefined : LOADABLE[parsed.type]
    return parsed === null || type === undefined ? null : { type, uuid: parsed.uuid }
  })
  // Whether there is such a token or not.
  if (wanted.some((want) => want?.type === 'ApiToken') && !includesRole(context.role, 'ADMIN'))
    throw tokensAreForAdmins(context.role)
  const byType = new Map<Loadable, Set<string>>()
  for (const want of wanted)
    if (want !== null) byType.set(want.type, (byType.get(want.type) ?? new Set()).add(want.uuid))
  const found = new Map(
    await Promise.all(
      [...byType].map(async ([type, uuids]) => {
        const nodes = await LOADERS[type]([...uuids], context, info)
        for (const node of nodes.values()) brandWithType(node, REFS[type])
        return [type, nodes] as const
      }),
    ),
  )
  return wanted.map((want) => (want === null ? null : (found.get(want.type)?.get(want.uuid) ?? null)))
}

builder.queryFields((t) => ({
  node: t.field({
    type: builder.nodeInterfaceRef(),
    nullable: true,
    authScopes: needs('VIEWER'),
    description: 'Anything by its id; null when there is no such thing.',
    args: { id: t.arg.id({ required: true, description: 'An id that the API answered.' }) },
    resolve: async (_root, { id }, context, info) => (await loadNodes([id], context, info))[0] ?? null,
  }),
  nodes: t.field({
    type: [builder.nodeInterfaceRef()],
    nullable: { list: false, items: true },
    authScopes: needs('VIEWER'),
    description: 'Things by their ids, in the order of the ids; null where there is no such thing.',
    args: { ids: t.arg.idList({ required: true, description: `At most ${MAX_NODES} ids.` }) },
    resolve: (_root, { ids }, context, info) => {
      if (ids.length > MAX_NODES) throw badUserInput(`ids holds at most ${MAX_NODES}, not ${ids.length}; ask in parts.`)
      return loadNodes(ids, context, info)
    },
  }),
}))
