import { LineCounter, parseDocument, stringify } from 'yaml'
import { readYaml } from '../../domain/yaml-document.ts'
import type { Content } from '../definitions/content.ts'
import { isObject } from '../definitions/json.ts'

const KNOWN = ['title', 'description', 'timeZone', 'graceSeconds', 'concurrencyKey', 'parameters', 'schedule', 'phases']

/** A draft as YAML, without what says nothing. */
export function textOfContent({ parameters, ...content }: Content): string {
  const { schedule, phases, ...settings } = content
  const said = Object.entries(settings).filter(([, value]) => value != null && value !== '')
  return stringify(
    { ...Object.fromEntries(said), ...(parameters.length === 0 ? {} : { parameters }), schedule, phases },
    (key: unknown, value: unknown) =>
      (key === 'exclude' || key === 'include') && Array.isArray(value) && value.length === 0 ? undefined : value,
    { lineWidth: 0 },
  )
}

export type ReadText = { ok: true; content: Content } | { ok: false; problem: string }

/** The draft that a text of YAML, or JSON, says; what it leaves out is as it would be in a new one. */
export function readText(text: string): ReadText {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true })
  const {
    contents: read,
    problems: [problem],
  } = readYaml(document)
  if (problem !== undefined) {
    const { line, col } = lines.linePos(problem.offset)
    return { ok: false, problem: `Line ${line}, column ${col}: ${problem.message}` }
  }
  if (!isObject(read)) return { ok: false, problem: `Write one thing to a line, like "title: Quiz night".` }
  const unknown = Object.keys(read).find((key) => !KNOWN.includes(key))
  if (unknown !== undefined) {
    return { ok: false, problem: `"${unknown}" is not known: write ${KNOWN.join(', ')}, and nothing else.` }
  }
  for (const list of ['parameters', 'phases']) {
    if (read[list] != null && !Array.isArray(read[list])) {
      return { ok: false, problem: `"${list}" must be a list: begin each of its entries with "- ".` }
    }
  }
  const { parameters, phases, graceSeconds = 900, timeZone = 'UTC', schedule = { manual: true } } = read
  return {
    ok: true,
    content: {
      title: read.title ?? '',
      description: read.description ?? null,
      timeZone,
      graceSeconds,
      concurrencyKey: read.concurrencyKey ?? null,
      parameters: Array.isArray(parameters) ? parameters : [],
      schedule,
      phases: Array.isArray(phases) ? phases : [],
    },
  }
}
