/** Prefixes of the ids that clients see: `run_0198f0c2-…`. The database holds the bare UUID. */
const PREFIXES = {
  Definition: 'def',
  Version: 'ver',
  Run: 'run',
  Step: 'step',
  Cue: 'cue',
  Resource: 'res',
  ApiToken: 'tok',
} as const

export type IdType = keyof typeof PREFIXES

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const TYPES = new Map(Object.entries(PREFIXES).map(([type, prefix]) => [prefix as string, type as IdType]))

/** The id as clients see it. */
export function formatId(type: IdType, uuid: string): string {
  return `${PREFIXES[type]}_${uuid}`
}

/** The type and UUID in an id from a client; null when it is not one of ours. */
export function parseId(id: string): { type: IdType; uuid: string } | null {
  const cut = id.indexOf('_')
  const type = TYPES.get(id.slice(0, Math.max(cut, 0)))
  const uuid = id.slice(cut + 1)
  return type !== undefined && UUID.test(uuid) ? { type, uuid } : null
}

/** The UUID in an id that has to be of one of these types; null otherwise. */
export function uuidOf(id: string, ...types: IdType[]): string | null {
  const parsed = parseId(id)
  return parsed !== null && types.includes(parsed.type) ? parsed.uuid : null
}
