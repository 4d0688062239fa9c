/** Where traces go, by the standard OTEL_… names, and which. */
export type TraceSettings = {
  /** Where they are posted to. */
  url: string
  protocol: (typeof PROTOCOLS)[number]
  /** Sent with each post; their values are secrets. */
  headers: Record<string, string>
  /** What the traces say of this server. */
  resource: Record<string, string>
  sampler: { kind: (typeof SAMPLERS)[number]; ratio: number }
}

const PROTOCOLS = ['http/protobuf', 'http/json'] as const
const SAMPLERS = [
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
  'always_on',
  'always_off',
  'traceidratio',
] as const

const COLLECTOR = 'http://localhost:4318'
const PATH = '/v1/traces'

/**
 * Reads the standard settings of OpenTelemetry; null: no traces are exported. They are where an address is set, or
 * OTEL_TRACES_EXPORTER is otlp. `problems` has a sentence for each that is wrong, and then the settings are not to be
 * used.
 */
export function readTraces(text: (name: string) => string | null): {
  traces: TraceSettings | null
  problems: string[]
} {
  const problems: string[] = []
  const oneOf = <T extends string>(name: string, options: readonly T[]): T | null => {
    const given = text(name)?.toLowerCase()
    if (given === undefined) return null
    const option = options.find((candidate) => candidate === given)
    if (option === undefined)
      problems.push(`${name} is ${JSON.stringify(given.slice(0, 100))}; it may be one of ${options.join(', ')}.`)
    return option ?? null
  }
  const address = (name: string): string | null => {
    const given = text(name)
    if (given === null || isAddress(given)) return given
    // Not quoted: it may hold a password.
    problems.push(
      `${name} may be an http or https address without a user name and password, like ${COLLECTOR}; what a collector wants to know of you goes into OTEL_EXPORTER_OTLP_HEADERS.`,
    )
    return given
  }
  const pairs = (name: string, isKey: RegExp): Record<string, string> => {
    const read = pairsOf(text(name) ?? '', isKey)
    // Not quoted: headers hold keys.
    if (read === null)
      problems.push(`${name} may be name=value pairs, separated by commas, with a comma in a value written %2C.`)
    return read ?? {}
  }

  const isDisabled = oneOf('OTEL_SDK_DISABLED', ['true', 'false']) === 'true'
  const exporter = oneOf('OTEL_TRACES_EXPORTER', ['otlp', 'none'])
  const ofAll = address('OTEL_EXPORTER_OTLP_ENDPOINT')
  const ofTraces = address('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')
  const protocol =
    oneOf('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', PROTOCOLS) ?? oneOf('OTEL_EXPORTER_OTLP_PROTOCOL', PROTOCOLS)
  const headers = {
    ...pairs('OTEL_EXPORTER_OTLP_HEADERS', HEADER),
    ...pairs('OTEL_EXPORTER_OTLP_TRACES_HEADERS', HEADER),
  }
  const resource = pairs('OTEL_RESOURCE_ATTRIBUTES', ATTRIBUTE)
  const kind = oneOf('OTEL_TRACES_SAMPLER', SAMPLERS) ?? SAMPLERS[0]
  const ratio = ratioOf(text('OTEL_TRACES_SAMPLER_ARG'))
  if (ratio === null) problems.push('OTEL_TRACES_SAMPLER_ARG may be a number from 0 to 1: the share of traces to keep.')

  const isWanted = exporter === 'otlp' || (exporter === null && (ofAll ?? ofTraces) !== null)
  if (problems.length > 0 || isDisabled || !isWanted) return { traces: null, problems }
  return {
    traces: {
      url: ofTraces ?? `${(ofAll ?? COLLECTOR).replace(/\/+$/, '')}${PATH}`,
      protocol: protocol ?? PROTOCOLS[0],
      headers,
      resource: { ...resource, 'service.name': text('OTEL_SERVICE_NAME') ?? resource['service.name'] ?? 'cuelight' },
      sampler: { kind, ratio: ratio ?? 1 },
    },
    problems,
  }
}

function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return /^https?:$/.test(protocol) && username === '' && password === ''
}

const HEADER = /^[!#$%&'*+.^_`|~0-9a-zA-Z-]+$/
const ATTRIBUTE = /^[^\s=,]+$/

/** As in a W3C Baggage header: `name=value,name=value`, with values percent-encoded. Null: it is not. */
function pairsOf(text: string, isKey: RegExp): Record<string, string> | null {
  const pairs: [string, string][] = []
  for (const part of text.split(',').filter((each) => each.trim() !== '')) {
    const cut = part.indexOf('=')
    const key = part.slice(0, Math.max(cut, 0)).trim()
    const value = decoded(part.slice(cut + 1).trim())
    if (!isKey.test(key) || value === null) return null
    pairs.push([key, value])
  }
  return Object.fromEntries(pairs)
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

function ratioOf(text: string | null): number | null {
  if (text === null) return 1
  const ratio = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN
  return ratio >= 0 && ratio <= 1 ? ratio : null
}
