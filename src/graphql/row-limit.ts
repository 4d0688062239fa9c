import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  isInterfaceType,
  isObjectType,
  Kind,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql'
import { DEFAULT_PAGE, MAX_PAGE } from './connection.ts'

/** Most entries that the connections of one operation may come to together, nested pages multiplied. */
export const MAX_ROWS = 100_000

type Variables = { readonly [name: string]: unknown }

/**
 * Why an operation asks for too much: 500 definitions with 500 runs of 500 lines each are few fields and few pages, and
 * more than a server can hold. Null: it does not.
 */
export function rowRefusal(
  schema: GraphQLSchema,
  {
    document,
    operationName,
    variables,
  }: { document: DocumentNode; operationName?: string | null; variables: Variables },
): GraphQLError | null {
  const operation = getOperationAST(document, operationName)
  const root = operation && schema.getRootType(operation.operation)
  if (!operation || !root) return null
  const rows = rowsOf(operation.selectionSet, root, { schema, document, variables, measured: new Map() })
  if (rows <= MAX_ROWS) return null
  return new GraphQLError(
    `The operation asks for up to ${rows} entries of lists in lists; at most ${MAX_ROWS} are allowed. Give a smaller first, or ask for the inner lists by id.`,
    { extensions: { code: 'TOO_COMPLEX' } },
  )
}

type Scope = {
  schema: GraphQLSchema
  document: DocumentNode
  variables: Variables
  /** Rows of each fragment, measured once however often it is spread. */
  measured: Map<string, number>
}

function rowsOf(set: SelectionSetNode, type: GraphQLNamedType | undefined, scope: Scope): number {
  let rows = 0
  for (const node of set.selections) {
    if (node.kind === Kind.FIELD) rows += rowsOfField(node, type, scope)
    else if (node.kind === Kind.INLINE_FRAGMENT) {
      const narrowed = node.typeCondition ? scope.schema.getType(node.typeCondition.name.value) : type
      rows += rowsOf(node.selectionSet, narrowed, scope)
    } else rows += rowsOfFragment(node.name.value, scope)
  }
  return rows
}

function rowsOfFragment(name: string, scope: Scope): number {
  const known = scope.measured.get(name)
  if (known !== undefined) return known
  const fragment = scope.document.definitions.find(
    (node): node is FragmentDefinitionNode => node.kind === Kind.FRAGMENT_DEFINITION && node.name.value === name,
  )
  const rows =
    fragment === undefined
      ? 0
      : rowsOf(fragment.selectionSet, scope.schema.getType(fragment.typeCondition.name.value), scope)
  scope.measured.set(name, rows)
  return rows
}

function rowsOfField(node: FieldNode, parent: GraphQLNamedType | undefined, scope: Scope): number {
  if (node.selectionSet === undefined) return 0
  const field = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[node.name.value] : undefined
  if (field === undefined) return 0
  const type = getNamedType(field.type)
  const within = rowsOf(node.selectionSet, type, scope)
  const size = sizeOf(node, type, scope.variables)
  return size === null ? within : size * (1 + within)
}

/** How many entries a field may come to; null where it is no list that grows. */
function sizeOf(node: FieldNode, type: GraphQLNamedType, variables: Variables): number | null {
  const given = (name: string): unknown => {
    const value = node.arguments?.find((argument) => argument.name.value === name)?.value
    return value === undefined ? undefined : valueFromASTUntyped(value, variables)
  }
  const ids = given('ids')
  if (Array.isArray(ids)) return ids.length
  if (!type.name.endsWith('Connection')) return null
  const size = given('first') ?? given('last') ?? DEFAULT_PAGE
  // A larger page is refused where it is read, by name.
  return typeof size === 'number' && size > 0 ? Math.min(size, MAX_PAGE) : 0
}
