import SchemaBuilder from '@pothos/core'
import PrismaPlugin from '@pothos/plugin-prisma'
import RelayPlugin from '@pothos/plugin-relay'
import ScopeAuthPlugin from '@pothos/plugin-scope-auth'
import { includesRole, type Role } from '../domain/access.ts'
import type PrismaTypes from '../generated/pothos.ts'
import { getDatamodel } from '../generated/pothos.ts'
import { accessError } from './access.ts'
import type { GraphqlContext } from './context.ts'
import { formatNodeId, parseNodeId } from './node-ids.ts'

/** Holds the schema while the files of this folder add their types to it; schema.ts builds it. */
export const builder = new SchemaBuilder<{
  Context: GraphqlContext
  PrismaTypes: PrismaTypes
  AuthScopes: { role: Role; anyone: boolean }
  DefaultFieldNullability: false
  DefaultEdgesNullability: false
  DefaultNodeNullability: false
  Connection: { totalCount: () => Promise<number | null> }
  Scalars: {
    ID: { Input: string; Output: string }
    DateTime: { Input: Date; Output: Date }
    LocalDateTime: { Input: string; Output: string }
    TimeZone: { Input: string; Output: string }
    Duration: { Input: string; Output: string }
    JSONObject: { Input: Record<string, unknown>; Output: Record<string, unknown> }
  }
}>({
  plugins: [ScopeAuthPlugin, RelayPlugin, PrismaPlugin],
  defaultFieldNullability: false,
  prisma: { client: (context) => context.control.db.prisma, dmmf: getDatamodel() },
  scopeAuth: {
    authorizeOnSubscribe: true,
    authScopes: (context) => ({ role: (needed) => includesRole(context.role, needed), anyone: true }),
    unauthorizedError: (_parent, context, info) =>
      accessError(context.role, info.parentType.getFields()[info.fieldName]),
  },
  relay: {
    // Ours answer a malformed id like one of nothing, and load all ids of a type at once (node.ts).
    nodeQueryOptions: false,
    nodesQueryOptions: false,
    encodeGlobalID: (typename, id) => formatNodeId(typename, String(id)),
    decodeGlobalID: (id) => parseNodeId(id),
    cursorType: 'String',
    idFieldOptions: { description: 'Opaque to clients and readable to people: a type prefix and a UUID.' },
    nodeTypeOptions: { description: 'Whatever has an id of its own and can be asked for by it alone.' },
    edgesFieldOptions: { nullable: false, description: 'The page, in order.' },
    nodeFieldOptions: { nullable: false, description: 'The thing itself.' },
    cursorFieldOptions: { description: 'Opaque: pass it as `after` or `before`.' },
    defaultConnectionTypeOptions: { description: 'One page of a list, by the Relay specification.' },
    defaultEdgeTypeOptions: { description: 'One entry of a page, and its place in the list.' },
    firstArgOptions: {
      description: 'At most this many, from the front: 0 to 500; 100 where neither `first` nor `last` is given.',
    },
    lastArgOptions: { description: 'At most this many, from the end: 0 to 500. Not together with `first`.' },
    afterArgOptions: { description: 'Only what follows this cursor.' },
    beforeArgOptions: { description: 'Only what precedes this cursor.' },
    pageInfoFieldOptions: { description: 'Where the page lies in the list.' },
    pageInfoTypeOptions: { description: 'Where a page lies in its list.' },
    hasNextPageFieldOptions: { description: 'Whether more follows the page.' },
    hasPreviousPageFieldOptions: { description: 'Whether more precedes the page.' },
    startCursorFieldOptions: { description: 'Cursor of the first entry; null on an empty page.' },
    endCursorFieldOptions: { description: 'Cursor of the last entry; null on an empty page.' },
  },
})

/** The types that the builder knows, for functions that make fields or types. */
export type ApiTypes = typeof builder extends PothosSchemaTypes.SchemaBuilder<infer Types> ? Types : never

builder.globalConnectionField('totalCount', (t) =>
  t.int({
    nullable: true,
    description: 'How many there are on all pages; null above 10,000.',
    resolve: (connection) => connection.totalCount(),
  }),
)

builder.queryType({ description: 'What can be read. Needs the role VIEWER where nothing else is said.' })
builder.mutationType({
  description:
    'What can be done. Each answers its payload or one of the expected errors, and may be sent twice without harm.',
})
builder.subscriptionType({
  description: 'What can be followed live, over WebSocket (graphql-transport-ws) or server-sent events.',
})
