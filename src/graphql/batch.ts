import { queryFromInfo } from '@pothos/plugin-prisma'
import DataLoader from 'dataloader'
import type { GraphQLResolveInfo } from 'graphql'
import type { Database } from '../store/database.ts'
import type { GraphqlContext } from './context.ts'

const loaders = new WeakMap<GraphqlContext, Map<string, unknown>>()

/**
 * One query for a field of many parents: what `load` answers for all the parents' ids that ask at one place of the
 * document at the same time. It remembers nothing, so that a later event of a subscription reads anew. A place that
 * needs more than one thing tells them apart by `what`.
 */
export function batched<V>(
  context: GraphqlContext,
  info: GraphQLResolveInfo,
  load: (ids: readonly string[]) => Promise<ReadonlyMap<string, V>>,
  what = 'value',
): { load(id: string): Promise<V | undefined> } {
  return loaderFor(context, `${placeOf(info)} ${what}`, load)
}

type Selection = Exclude<ReturnType<typeof queryFromInfo>, Promise<unknown>>

/**
 * The same for rows of the database, with what the document selects of them: to plan that anew for each parent takes longer
 * than to read its row.
 */
export function batchedRows<Row>(
  context: GraphqlContext,
  info: GraphQLResolveInfo,
  read: (db: Database, ids: readonly string[], query: Selection) => Promise<Map<string, Row>>,
): { load(id: string): Promise<Row | undefined> } {
  return batched(context, info, (ids) => read(context.control.db, ids, queryFromInfo({ context, info })))
}

/** The same for what several fields share, by a name. */
export function shared<V>(
  context: GraphqlContext,
  name: string,
  load: (ids: readonly string[]) => Promise<ReadonlyMap<string, V>>,
): { load(id: string): Promise<V | undefined> } {
  return loaderFor(context, name, load)
}

function loaderFor<V>(
  context: GraphqlContext,
  key: string,
  load: (ids: readonly string[]) => Promise<ReadonlyMap<string, V>>,
): { load(id: string): Promise<V | undefined> } {
  let ofContext = loaders.get(context)
  if (ofContext === undefined) {
    ofContext = new Map()
    loaders.set(context, ofContext)
  }
  let loader = ofContext.get(key)
  if (!(loader instanceof DataLoader)) {
    loader = new DataLoader<string, V | undefined>(
      async (ids) => {
        const found = await load([...new Set(ids)])
        return ids.map((id) => found.get(id))
      },
      { cache: false },
    )
    ofContext.set(key, loader)
  }
  // One key is only ever used with one `load`, which is what its values' type comes from.
  return loader as DataLoader<string, V | undefined>
}

/** The place in the document, without the positions in lists: all fields there have the same arguments. */
function placeOf(info: GraphQLResolveInfo): string {
  const keys: string[] = []
  for (let path: GraphQLResolveInfo['path'] | undefined = info.path; path !== undefined; path = path.prev)
    if (typeof path.key === 'string') keys.push(`${path.typename ?? ''}.${path.key}`)
  return keys.reverse().join('/')
}
