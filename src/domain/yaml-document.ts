import { type Document, isAlias, isScalar, type Node, visit } from 'yaml'

/** What is wrong with a document, and where in its text: counted in characters from 0. */
export type YamlProblem = { offset: number; message: string }

/**
 * What a document of YAML, or JSON, says, as the API can be told it: `contents` counts only where there are no problems.
 * Besides what is no YAML, problems are tags that are not known, numbers that JSON has not, and aliases of nothing, of
 * what they stand in, or of too much (by which a small text says very much).
 */
export function readYaml(document: Document): { contents: unknown; problems: YamlProblem[] } {
  const problems: YamlProblem[] = [...document.errors, ...document.warnings].map(({ code, message, pos }) => ({
    offset: pos[0],
    message: code === 'MULTIPLE_DOCS' ? ONE_DOCUMENT : `${message}; correct the YAML or JSON here.`,
  }))
  const anchors = new Map<string, Node>()
  visit(document, {
    Node(_key, node, within) {
      const said = isAlias(node)
        ? aliasProblem(node.source, anchors.get(node.source), within)
        : isScalar(node)
          ? numberProblem(node.value)
          : null
      if (said !== null) problems.push({ offset: node.range?.[0] ?? 0, message: said })
      if (!isAlias(node) && node.anchor !== undefined) anchors.set(node.anchor, node)
    },
  })
  if (problems.length > 0) return { contents: null, problems }
  try {
    return { contents: document.toJS(), problems }
  } catch {
    const message = 'Its aliases stand for too much; write out what some of them stand for.'
    return { contents: null, problems: [{ offset: 0, message }] }
  }
}

function aliasProblem(name: string, target: Node | undefined, within: readonly unknown[]): string | null {
  if (target === undefined) {
    return `There is no anchor &${name} before this alias; name one, or put a text that begins with * into quotes.`
  }
  return within.includes(target) ? `This alias is a part of what it stands for, &${name}; write it out.` : null
}

/** Where more than one is read, each is a document of its own. */
const ONE_DOCUMENT =
  'Here another document begins, and this takes one; leave out the line of --- and what is behind it.'

const numberProblem = (value: unknown): string | null =>
  typeof value !== 'number' || Number.isFinite(value)
    ? null
    : 'This number is beyond double precision, or none; write a smaller one, or a text in quotes.'
