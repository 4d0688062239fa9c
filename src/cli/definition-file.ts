import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Document, isNode, LineCounter, parseAllDocuments } from 'yaml'
import { isObject } from '../domain/plain-object.ts'
import { readYaml } from '../domain/yaml-document.ts'
import { printable } from './printable.ts'

/**
 * Something that is wrong with a file: `line` and `column` are counted from 1, `path` is in the definition, `step` is the
 * label of the step that the path leads into, where it has one.
 */
export type Problem = {
  file: string
  line: number | null
  column: number | null
  path: string
  step?: string
  message: string
}

/** A definition as a file holds it; a file of YAML may hold several, between lines of `---`. */
export type DefinitionFile = {
  file: string
  input: Record<string, unknown>
  /** Where a path of the definition is in the file: of what is not there, what it would be in. */
  problemAt(path: string, message: string): Problem
}

/** As `-` is called in problems. */
const STANDARD_INPUT = 'standard input'

/**
 * Reads files of YAML or JSON, the files of a folder, but not what lies in folders below, and standard input (`-`). What is
 * no YAML, or holds no definition, is a problem with its place.
 */
export function readDefinitionFiles(given: readonly string[]): { definitions: DefinitionFile[]; problems: Problem[] } {
  const read = given.flatMap(filesOf).map(readOne)
  const definitions = read.flatMap((it) => it.definitions)
  const problems = read.flatMap((it) => it.problems)
  const bySlug = new Map<unknown, DefinitionFile>()
  for (const definition of definitions) {
    const { slug } = definition.input
    const first = bySlug.get(slug)
    if (first === undefined) bySlug.set(slug, definition)
    else problems.push(definition.problemAt('slug', `${first.file} has this slug already; give each event its own.`))
  }
  return { definitions, problems }
}

/** The files of a folder by name, without schemas for editors; anything else as it is, whether it is there or not. */
function filesOf(given: string): string[] {
  if (given === '-' || !existsSync(given) || !statSync(given).isDirectory()) return [given]
  const names = readdirSync(given).filter((name) => /\.(ya?ml|json)$/.test(name) && !name.endsWith('.schema.json'))
  return names.length === 0 ? [given] : names.sort().map((name) => join(given, name))
}

function readOne(given: string): { definitions: DefinitionFile[]; problems: Problem[] } {
  const file = given === '-' ? STANDARD_INPUT : given
  const nowhere = { file, line: null, column: null, path: '' }
  let text: string
  try {
    text = readFileSync(given === '-' ? 0 : given, 'utf8')
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    if (why.startsWith('EISDIR')) {
      const message = 'This folder holds no file that ends in .yaml, .yml or .json; name another, or the files.'
      return { definitions: [], problems: [{ ...nowhere, message }] }
    }
    return { definitions: [], problems: [{ ...nowhere, message: `It cannot be read (${why}); correct its name.` }] }
  }
  const lines = new LineCounter()
  const documents = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false, stringKeys: true })
  if (!Array.isArray(documents) || documents.length === 0) {
    return { definitions: [], problems: [{ ...nowhere, message: 'It is empty; write a definition into it.' }] }
  }
  const problems: Problem[] = []
  const definitions = documents.flatMap((document): DefinitionFile[] => {
    const { contents: input, problems: found } = readYaml(document)
    for (const { offset, message } of found) problems.push({ file, ...placeAt(lines, offset), path: '', message })
    if (found.length > 0) return []
    const problemAt = (path: string, message: string): Problem => ({
      file,
      ...placeAt(lines, offsetOf(document, path)),
      path,
      ...stepAt(document, path),
      message,
    })
    if (isObject(input)) {
      // Tells editors by what to check a file of JSON.
      const { $schema: _, ...fields } = input
      return [{ file, input: fields, problemAt }]
    }
    problems.push(problemAt('', 'It holds no definition; write its fields, such as slug, title and spec.'))
    return []
  })
  return { definitions, problems }
}

function placeAt(lines: LineCounter, offset: number) {
  const { line, col } = lines.linePos(offset)
  return { line, column: col }
}

/** Where the node of a path begins, or the nearest one that it would be in. Paths: `spec.phases[0].params["a key"]`. */
function offsetOf(document: Document, path: string): number {
  const keys = [...path.matchAll(/\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|([^.[\]]+)/g)].map(([, quoted, index, name]) =>
    index === undefined ? (quoted ?? name ?? '') : Number(index),
  )
  for (let length = keys.length; length >= 0; length -= 1) {
    const node = length === 0 ? document.contents : document.getIn(keys.slice(0, length), true)
    if (isNode(node) && node.range) return node.range[0]
  }
  return 0
}

function stepAt(document: Document, path: string): { step?: string } {
  const [, phase, seq] = /^spec\.phases\[(\d+)\]\.steps\[(\d+)\]/.exec(path) ?? []
  if (seq === undefined) return {}
  const label = document.getIn(['spec', 'phases', Number(phase), 'steps', Number(seq), 'label'])
  return typeof label === 'string' && label !== '' ? { step: label } : {}
}

/** `quiz.yaml:12:5: spec.phases[0].steps[1] ("Welcome"): …` */
export function showProblem({ file, line, column, path, step, message }: Problem): string {
  const place = line === null ? file : `${file}:${line}:${column}`
  const named = step === undefined ? path : `${path} ("${printable(step)}")`
  return `${place}: ${path === '' ? '' : `${named}: `}${message}`
}

/** How the API begins an issue that stands against nothing. */
export const ONLY_A_WARNING = 'Only a warning: '

/** The same of what stands against nothing. */
export function showWarning({ message, ...place }: Problem): string {
  const said = message.startsWith(ONLY_A_WARNING) ? message.slice(ONLY_A_WARNING.length) : message
  return showProblem({ ...place, message: `Warning: ${said}` })
}

/** File by file, each from its beginning to its end. */
export function inOrderOfPlace(problems: readonly Problem[]): Problem[] {
  const files = [...new Set(problems.map(({ file }) => file))]
  return [...problems].sort(
    (a, b) =>
      files.indexOf(a.file) - files.indexOf(b.file) ||
      (a.line ?? 0) - (b.line ?? 0) ||
      (a.column ?? 0) - (b.column ?? 0),
  )
}

/** A path of the API's in the input: what it says of the spec begins with `phases` or `schedule`. */
export function pathInInput(path: string): string {
  return /^(phases|schedule)\b/.test(path) ? `spec.${path}` : path
}
