import {
  type ASTVisitor,
  type DefinitionNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  parse,
  type SelectionSetNode,
  type Source,
  type ValidationContext,
  visit,
} from 'graphql'

export const MAX_DEPTH = 16
export const MAX_FIELDS = 2_000
/** Drafts and specs that an operation may name, under as many aliases: each is read by itself and may be a megabyte. */
export const MAX_LARGE = 20
const LARGE: ReadonlySet<string> = new Set(['draft', 'draftIssues', 'draftWarnings', 'spec'])
/** Tokens of a document: some 2,000 fields with their arguments and a large input have far fewer. */
const MAX_TOKENS = 50_000

/** Brackets within brackets, those of the fragments that a place spreads counted: what reads documents is recursive. */
const MAX_NESTING = 400
/** Fragments that spread each other in a chain. */
const MAX_CHAIN = 100

const tooComplex = (message: string) => new GraphQLError(message, { extensions: { code: 'TOO_COMPLEX' } })

type Size = { fields: number; large: number; depth: number }

const EMPTY: Size = { fields: 0, large: 0, depth: 0 }

/**
 * Validation rule: an operation nests at most MAX_DEPTH fields deep and has at most MAX_FIELDS of them and MAX_LARGE
 * large ones, aliases and the fields of every use of a fragment counted. Each fragment is measured once, however often it is spread.
 */
export function complexityRule(context: ValidationContext): ASTVisitor {
  const measured = new Map<string, Size>()
  const measure = (set: SelectionSetNode): Size => {
    const size = { ...EMPTY }
    for (const node of set.selections) {
      const part =
        node.kind === Kind.FIELD
          ? withField(node.name.value, node.selectionSet === undefined ? EMPTY : measure(node.selectionSet))
          : node.kind === Kind.INLINE_FRAGMENT
            ? measure(node.selectionSet)
            : measureFragment(node.name.value)
      size.fields += part.fields
      size.large += part.large
      size.depth = Math.max(size.depth, part.depth)
    }
    return size
  }
  const measureFragment = (name: string): Size => {
    const known = measured.get(name)
    if (known !== undefined) return known
    // A fragment within itself is refused by a rule of the standard; here it must only not go round for ever.
    measured.set(name, EMPTY)
    const fragment: FragmentDefinitionNode | null | undefined = context.getFragment(name)
    const size = fragment == null ? EMPTY : measure(fragment.selectionSet)
    measured.set(name, size)
    return size
  }
  return {
    OperationDefinition(node) {
      const { fields, large, depth } = measure(node.selectionSet)
      if (depth > MAX_DEPTH)
        context.reportError(
          tooComplex(
            `The operation nests ${depth} fields deep; at most ${MAX_DEPTH} are allowed. Ask for the deeper parts by their ids.`,
          ),
        )
      if (fields > MAX_FIELDS)
        context.reportError(
          tooComplex(`The operation has ${fields} fields; at most ${MAX_FIELDS} are allowed. Split it.`),
        )
      if (large > MAX_LARGE)
        context.reportError(
          tooComplex(
            `The operation names ${large} drafts and specs (${[...LARGE].join(', ')}); at most ${MAX_LARGE} are allowed. Read many by nodes(ids), or split it.`,
          ),
        )
      return false
    },
  }
}

const withField = (name: string, below: Size): Size => ({
  fields: below.fields + 1,
  large: below.large + (LARGE.has(name) ? 1 : 0),
  depth: below.depth + 1,
})

/** Parses a document from a client. A document that is no document, is too long or nests too deep throws a GraphQLError. */
export function parseDocument(source: string | Source): DocumentNode {
  const document = parsed(source)
  refuseDeepNesting(document)
  return document
}

const TOO_DEEP = 'The document nests too deep to be read; flatten it.'

function parsed(source: string | Source): DocumentNode {
  try {
    return parse(source, { maxTokens: MAX_TOKENS })
  } catch (error) {
    // The parser is recursive: a document of nothing but brackets runs out of stack.
    if (error instanceof RangeError) throw tooComplex(TOO_DEEP)
    throw error
  }
}

/** How deep a definition nests: by itself, and where it spreads which fragments. */
type Nesting = { own: number; spreads: { name: string; at: number }[] }

/**
 * Validation and execution go down documents recursively, through fragments too; what would run out of stack there, or
 * come close, is refused before. Walks without recursion but along fragments, and along at most MAX_CHAIN of those.
 */
function refuseDeepNesting(document: DocumentNode): void {
  const fragments = new Map<string, Nesting>()
  const nestings = document.definitions.map((definition) => {
    const nesting = nestingOf(definition)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, nesting)
    return nesting
  })
  const known = new Map<string, number>()
  const through = ({ own, spreads }: Nesting, chain: number): number => {
    if (chain > MAX_CHAIN) {
      throw tooComplex(`More than ${MAX_CHAIN} fragments spread each other in a chain; put some of them together.`)
    }
    const deepest = spreads.reduce((most, { name, at }) => Math.max(most, at + throughFragment(name, chain)), own)
    if (deepest > MAX_NESTING) throw tooComplex(TOO_DEEP)
    return deepest
  }
  const throughFragment = (name: string, chain: number): number => {
    const fragment = fragments.get(name)
    const before = known.get(name)
    if (fragment === undefined || before !== undefined) return before ?? 0
    // A fragment within itself is refused by a rule of the standard; here it must only not go round for ever.
    known.set(name, 0)
    const deepest = through(fragment, chain + 1)
    known.set(name, deepest)
    return deepest
  }
  for (const nesting of nestings) through(nesting, 0)
}

function nestingOf(definition: DefinitionNode): Nesting {
  const nesting: Nesting = { own: 0, spreads: [] }
  let depth = 0
  visit(definition, {
    enter(node) {
      depth += 1
      nesting.own = Math.max(nesting.own, depth)
      if (node.kind === Kind.FRAGMENT_SPREAD) nesting.spreads.push({ name: node.name.value, at: depth })
    },
    leave() {
      depth -= 1
    },
  })
  return nesting
}
