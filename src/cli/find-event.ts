import { z } from 'zod'
import { uuidOf } from '../domain/ids.ts'
import { askApi } from './api.ts'
import { notFound } from './failure.ts'
import type { Session } from './session.ts'

const Found = z.object({ definition: z.object({ id: z.string() }).nullable() })

/** The id of the event with this slug, or with this id. Throws a CommandFailure where there is none. */
export async function findEvent({ config }: Session, given: string): Promise<string> {
  if (uuidOf(given, 'Definition') !== null) return given
  const { definition } = await askApi(config, {
    document: 'query ($slug: String!) { definition(slug: $slug) { id } }',
    variables: { slug: given },
    shape: Found,
  })
  if (definition === null) throw noEvent(given)
  return definition.id
}

export function noEvent(slug: string) {
  return notFound(`There is no event ${JSON.stringify(slug)}; look for its slug in the list of definitions.`)
}
