import { type NotFound, notFound } from '../controls/result.ts'
import { type IdType, parseId, uuidOf } from '../domain/ids.ts'

/** An id of no thing at all: what a filter by a malformed id looks for, so that it finds nothing. */
const NO_UUID = '00000000-0000-0000-0000-000000000000'

const NAMES: Record<IdType, string> = {
  Definition: 'definition',
  Version: 'version',
  Run: 'run',
  Step: 'step',
  Cue: 'cue',
  Resource: 'resource',
  ApiToken: 'token',
}

/** The UUID to filter by; of nothing where the id is not one of this type. */
export const filterUuid = (id: string | null | undefined, type: IdType): string | null =>
  id == null ? null : (uuidOf(id, type) ?? NO_UUID)

/** What a mutation answers to an id that is not one of this type: the same as to one of nothing. */
export function noSuch(what: string, id: string): NotFound {
  const shown = id.length > 60 ? `${id.slice(0, 60)}…` : id
  const parsed = parseId(id)
  const advice =
    parsed !== null
      ? `It is the id of a ${NAMES[parsed.type]}; pass that of a ${what}.`
      : what === 'definition'
        ? 'Pass an id that the API answered; definition(slug: …) { id } finds that of a slug.'
        : 'Pass an id that the API answered.'
  return notFound(`There is no ${what} with the id "${shown}". ${advice}`)
}
