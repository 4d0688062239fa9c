import { formatId, type IdType, parseId } from '../domain/ids.ts'

/** What the domain's types are called in the schema, where the name differs. */
const TYPE_NAMES: Partial<Record<IdType, string>> = { Definition: 'EventDefinition', Version: 'EventVersion' }
const ID_TYPES: readonly IdType[] = ['Definition', 'Version', 'Run', 'Step', 'Cue', 'Resource', 'ApiToken']
const BY_TYPE_NAME = new Map(ID_TYPES.map((type) => [TYPE_NAMES[type] ?? type, type]))

/** The id as clients see it, of a thing of this type of the schema. */
export function formatNodeId(typeName: string, uuid: string): string {
  const type = BY_TYPE_NAME.get(typeName)
  if (type === undefined) throw new Error(`${typeName} has no id prefix; give it one in src/domain/ids.ts`)
  return formatId(type, uuid)
}

/** The type's name in the schema and the UUID. Throws on what is no id of ours. */
export function parseNodeId(id: string): { typename: string; id: string } {
  const parsed = parseId(id)
  if (parsed === null) throw new Error(`"${id}" is not an id`)
  return { typename: TYPE_NAMES[parsed.type] ?? parsed.type, id: parsed.uuid }
}
