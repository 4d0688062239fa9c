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

/** Of what type an id is by its prefix, whatever follows; null for what begins with none of ours. */
export function typeOfPrefix(id: string): IdType | null {
  return TYPES.get(id.slice(0, Math.max(id.indexOf('_'), 0))) ?? null
}

/** The type and UUID in an id from a client; null when it is not one of ours. */
export function parseId(id: string): { type: IdType; uuid: string } | null {
  const type = typeOfPrefix(id)
  const uuid = id.slice(id.indexOf('_') + 1)
  return type !== null && UUID.test(uuid) ? { type, uuid } : null
}

/** The UUID in an id that has to be of one of these types; null otherwise. */
export function uuidOf(id: string, ...types: IdType[]): string | null {
  const parsed = parseId(id)
  return parsed !== null && types.includes(parsed.type) ? parsed.uuid : null
}
