import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  getOperationAST,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
  valueFromASTUntyped,
} from 'graphql'
import { DEFAULT_PAGE, MAX_PAGE } from './connection.ts'

/** Most entries that the lists of one operation may come to together, lists in lists multiplied. */
export const MAX_ROWS = 100_000
/** Most fields that its answer may hold: one field under many names, in every entry of a list, is few rows. */
export const MAX_VALUES = 1_000_000

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
  const { rows, values } = measure(operation.selectionSet, root, { schema, document, variables, measured: new Map() })
  if (rows > MAX_ROWS) {
    return tooComplex(
      `The operation asks for up to ${rows} entries of lists in lists; at most ${MAX_ROWS} are allowed. Give a smaller first, or ask for the inner lists by id.`,
    )
  }
  if (values > MAX_VALUES) {
    return tooComplex(
      `The operation asks for up to ${values} values in its lists; at most ${MAX_VALUES} are allowed. Give a smaller first, or ask for fewer fields of each entry.`,
    )
  }
  return null
}

const tooComplex = (message: string) => new GraphQLError(message, { extensions: { code: 'TOO_COMPLEX' } })

/** What a part of an answer may come to. */
type Extent = { rows: number; values: number }

type Scope = {
  schema: GraphQLSchema
  document: DocumentNode
  variables: Variables
  /** Each fragment, measured once however often it is spread. */
  measured: Map<string, Extent>
}

function measure(set: SelectionSetNode, type: GraphQLNamedType | undefined, scope: Scope): Extent {
  const extent = { rows: 0, values: 0 }
  for (const node of set.selections) {
    const { rows, values } = measureSelection(node, type, scope)
    extent.rows += rows
    extent.values += values
  }
  return extent
}

function measureSelection(node: SelectionNode, type: GraphQLNamedType | undefined, scope: Scope): Extent {
  if (node.kind === Kind.FIELD) return measureField(node, type, scope)
  if (node.kind === Kind.FRAGMENT_SPREAD) return measureFragment(node.name.value, scope)
  const narrowed = node.typeCondition ? scope.schema.getType(node.typeCondition.name.value) : type
  return measure(node.selectionSet, narrowed, scope)
}

function measureFragment(name: string, scope: Scope): Extent {
  const known = scope.measured.get(name)
  if (known !== undefined) return known
  const fragment = scope.document.definitions.find(
    (node): node is FragmentDefinitionNode => node.kind === Kind.FRAGMENT_DEFINITION && node.name.value === name,
  )
  const extent =
    fragment === undefined
      ? { rows: 0, values: 0 }
      : measure(fragment.selectionSet, scope.schema.getType(fragment.typeCondition.name.value), scope)
  scope.measured.set(name, extent)
  return extent
}

const META_FIELDS: Record<string, GraphQLField<unknown, unknown>> = {
  __schema: SchemaMetaFieldDef,
  __type: TypeMetaFieldDef,
}

const fieldsOf = (type: GraphQLNamedType | undefined) =>
  isObjectType(type) || isInterfaceType(type) ? type.getFields() : {}

function measureField(node: FieldNode, parent: GraphQLNamedType | undefined, scope: Scope): Extent {
  if (node.selectionSet === undefined) return { rows: 0, values: 1 }
  const field = META_FIELDS[node.name.value] ?? fieldsOf(parent)[node.name.value]
  if (field === undefined) return { rows: 0, values: 1 }
  const type = getNamedType(field.type)
  const { rows, values } = measure(node.selectionSet, type, scope)
  const size = sizeOf(node, { field, parent: parent?.name ?? '' }, scope.variables)
  return size === null ? { rows, values: values + 1 } : { rows: size * (1 + rows), values: size * (1 + values) }
}

/**
 * What lists without pages are taken to hold. The steps of a run or version may be ten thousand; they count so much that nobody asks
 * for them within each other, and little enough to be listed for a page of runs.
 */
const UNPAGED: Record<string, number> = {
  'Run.steps': 400,
  'VerificationReport.steps': 400,
  'Run.cues': 100,
  'Query.cues': 100,
  'Query.calendar': 5000,
  'Query.apiTokens': 100,
  '__Schema.types': 150,
  '__Type.fields': 30,
  '__Field.args': 3,
}
const OTHER_UNPAGED = 10

/** How many entries a field may come to; null where it is no list. */
function sizeOf(
  node: FieldNode,
  { field, parent }: { field: GraphQLField<unknown, unknown>; parent: string },
  variables: Variables,
): number | null {
  const given = (name: string): unknown => {
    const value = node.arguments?.find((argument) => argument.name.value === name)?.value
    return value === undefined ? undefined : valueFromASTUntyped(value, variables)
  }
  const ids = given('ids')
  if (Array.isArray(ids)) return ids.length
  // The connection has counted its edges.
  if (parent.endsWith('Connection')) return null
  const isConnection = getNamedType(field.type).name.endsWith('Connection')
  if (!isConnection && !isListType(getNullableType(field.type))) return null
  const byDefault = field.args.find(({ name }) => name === 'first')?.defaultValue
  const size =
    given('first') ??
    given('last') ??
    byDefault ??
    (isConnection ? DEFAULT_PAGE : (UNPAGED[`${parent}.${node.name.value}`] ?? OTHER_UNPAGED))
  // A larger page is refused where it is read, by name.
  return typeof size === 'number' && size > 0 ? Math.min(size, MAX_PAGE) : 0
}
