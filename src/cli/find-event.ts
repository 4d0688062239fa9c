import { z } from 'zod'
import { uuidOf } from '../domain/ids.ts'
import { askApi } from './api.ts'
import { notFound } from './failure.ts'
import { refuseOtherIds } from './id-kind.ts'
import type { Session } from './session.ts'

/** What the help says of an event that has to be there. */
export const EVENT_ARGUMENT = 'slug or id of the event; "cuelight events" lists them'

const Found = z.object({ definition: z.object({ id: z.string() }).nullable() })

/** The id of the event with this slug, or with this id. Throws a CommandFailure where there is none. */
export async function findEvent({ config }: Session, given: string): Promise<string> {
  const { definition } = await askApi(config, {
    document: 'query ($id: ID, $slug: String) { definition(id: $id, slug: $slug) { id } }',
    variables: eventNamed(given),
    shape: Found,
  })
  if (definition === null) throw noEvent(given)
  return definition.id
}

/** The arguments of the API's `definition` for a slug or an id. Throws a CommandFailure on an id of something else. */
export function eventNamed(given: string): { id: string } | { slug: string } {
  refuseOtherIds(given, {
    takes: ['Definition'],
    give: 'an event, by its slug or its id: "cuelight events" lists them',
  })
  return uuidOf(given, 'Definition') === null ? { slug: given } : { id: given }
}

export function noEvent(given: string) {
  return notFound(`There is no event ${JSON.stringify(given)}; "cuelight events --all" lists those that there are.`)
}
