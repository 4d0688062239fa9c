import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import { includesRole, type Role } from '../domain/access.ts'

/** Who may use a root field: a role (and those that include it), or anyone, token or not. */
export type AccessRule = { role: Role } | { anyone: true }

/** For a root field's `authScopes`. */
export const needs = (role: Role): { role: Role } => ({ role })
export const anyone: { anyone: true } = { anyone: true }

type RootField = GraphQLField<unknown, unknown>

/** The rule of a root field; null when it has none, which a test forbids. */
export function ruleOf(field: RootField): AccessRule | null {
  const options: unknown = field.extensions.pothosOptions
  if (typeof options !== 'object' || options === null || !('authScopes' in options)) return null
  const scopes = options.authScopes
  if (typeof scopes !== 'object' || scopes === null) return null
  if ('role' in scopes && isRole(scopes.role)) return { role: scopes.role }
  return 'anyone' in scopes && scopes.anyone === true ? anyone : null
}

const isRole = (value: unknown): value is Role =>
  value === 'VIEWER' || value === 'EMITTER' || value === 'MODERATOR' || value === 'ADMIN'

const permits = (rule: AccessRule | null, role: Role | null) =>
  rule !== null && ('anyone' in rule || includesRole(role, rule.role))

/** The top-level error for somebody with this role, or without a token (null), at a field that is not for them. */
export function accessError(role: Role | null, field: RootField | undefined): GraphQLError {
  if (role === null) {
    return new GraphQLError(
      'A token is needed: send it as "Authorization: Bearer <token>", over WebSocket as {"authorization": "Bearer <token>"} in the payload of connection_init.',
      { extensions: { code: 'UNAUTHENTICATED' } },
    )
  }
  const rule = field === undefined ? null : ruleOf(field)
  const needed = rule !== null && 'role' in rule ? rule.role : 'ADMIN'
  return new GraphQLError(`${field?.name ?? 'This'} needs the role ${needed}; this token has ${role}.`, {
    extensions: { code: 'FORBIDDEN' },
  })
}

/** The top-level error for who asks for the node of a token without being an admin. */
export const tokensAreForAdmins = (role: Role | null) =>
  new GraphQLError(`A token needs the role ADMIN to be read; this token has ${role ?? 'none'}. Leave its id out.`, {
    extensions: { code: 'FORBIDDEN' },
  })

/**
 * Why an operation may not be run at all: one forbidden root field refuses it whole, so that no mutation before that
 * field is done. Fields under @skip and @include count. Null: it may.
 */
export function operationRefusal(
  schema: GraphQLSchema,
  { document, operationName, role }: { document: DocumentNode; operationName?: string | null; role: Role | null },
): GraphQLError | null {
  const operation = getOperationAST(document, operationName)
  const root = operation && schema.getRootType(operation.operation)
  if (!operation || !root) return null
  for (const name of rootFieldNames(document, operation.selectionSet)) {
    const field = root.getFields()[name]
    if (field !== undefined && !permits(ruleOf(field), role)) return accessError(role, field)
  }
  return null
}

function rootFieldNames(document: DocumentNode, top: SelectionSetNode): Set<string> {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const node of document.definitions)
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node)
  const names = new Set<string>()
  const spread = new Set<string>()
  const visit = (set: SelectionSetNode) => {
    for (const node of set.selections) {
      if (node.kind === Kind.FIELD) names.add(node.name.value)
      else if (node.kind === Kind.INLINE_FRAGMENT) visit(node.selectionSet)
      else if (!spread.has(node.name.value)) {
        spread.add(node.name.value)
        const fragment = fragments.get(node.name.value)
        if (fragment !== undefined) visit(fragment.selectionSet)
      }
    }
  }
  visit(top)
  return names
}
