/** A metric of a page in Prometheus's text format. */
export type Family = { help: string; type: string; samples: Sample[] }
type Sample = { name: string; labels: Record<string, string>; value: number }

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)/y
const SUFFIXES: Record<string, string[]> = { histogram: ['_bucket', '_sum', '_count'], summary: ['', '_sum', '_count'] }

/** Reads a page as the format's specification has it (version 0.0.4); throws at the first line that is not so. */
export function parseExposition(text: string): Map<string, Family> {
  const families = new Map<string, Family>()
  const seen = new Set<string>()
  const fail = (line: string, why: string) => new Error(`${why}: ${line}`)
  if (!text.endsWith('\n')) throw new Error('The last line has no end.')
  let current = ''
  for (const line of text.split('\n')) {
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? []
    if (kind === 'HELP') {
      if (!NAME.test(name) || families.has(name)) throw fail(line, 'A name that is none, or comes twice')
      families.set(name, { help: rest, type: 'untyped', samples: [] })
      current = name
    } else if (kind === 'TYPE') {
      const family = families.get(name)
      if (family === undefined || name !== current || family.type !== 'untyped') throw fail(line, 'A type out of place')
      if (!['counter', 'gauge', 'histogram', 'summary'].includes(rest)) throw fail(line, 'An unknown type')
      family.type = rest
    } else if (line !== '') {
      const [, sample = '', labelText = '', number = ''] = SAMPLE.exec(line) ?? []
      const family = families.get(current)
      const names = SUFFIXES[family?.type ?? '']?.map((suffix) => current + suffix) ?? [current]
      if (family === undefined || !names.includes(sample)) throw fail(line, 'A sample of no metric before it')
      const labels = parseLabels(labelText)
      const key = `${sample} ${JSON.stringify(Object.entries(labels).sort())}`
      if (seen.has(key)) throw fail(line, 'A sample that comes twice')
      seen.add(key)
      const value = numberOf(number)
      if (value === null) throw fail(line, 'A value that is no number')
      family.samples.push({ name: sample, labels, value })
    }
  }
  return families
}

function parseLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {}
  LABEL.lastIndex = 0
  while (LABEL.lastIndex < text.length) {
    const at = LABEL.lastIndex
    const [, name = '', value = ''] = LABEL.exec(text) ?? []
    if (name === '' || name in labels) throw new Error(`Labels that cannot be read at ${at}: ${text}`)
    labels[name] = value.replace(/\\(.)/g, (_, escaped) => (escaped === 'n' ? '\n' : escaped))
  }
  return labels
}

function numberOf(text: string): number | null {
  const named: Record<string, number> = { '+Inf': Infinity, '-Inf': -Infinity, NaN: Number.NaN, Nan: Number.NaN }
  if (text in named) return named[text] ?? null
  return /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Number(text) : null
}

/** The value of a sample with exactly these labels; undefined: it is not there. */
export function valueIn(page: Map<string, Family>, name: string, labels: Record<string, string> = {}) {
  const samples = [...page.values()].flatMap((family) => family.samples)
  const wanted = JSON.stringify(Object.entries(labels).sort())
  return samples.find((s) => s.name === name && JSON.stringify(Object.entries(s.labels).sort()) === wanted)?.value
}
