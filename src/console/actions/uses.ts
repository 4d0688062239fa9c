import { useMemo } from 'react'
import { ActionUsesDocument } from '../../generated/console/documents.ts'
import { useLive } from '../api/live-query.ts'

const NOTHING = {}

export type Uses = {
  /** The titles of the events whose current version names an action or trigger, by its id; null: not read yet. */
  byId: ReadonlyMap<string, readonly string[]> | null
  /** Whether there are more events than were looked at. */
  isPartial: boolean
}

/** Which events use what. */
export function useUses(): Uses {
  const { data } = useLive({ query: ActionUsesDocument, variables: NOTHING }, null)
  const byId = useMemo(() => {
    if (data === undefined) return null
    const found = new Map<string, string[]>()
    for (const { node } of data.definitions.edges) {
      const named = (node.currentVersion?.spec.phases ?? []).flatMap(({ steps, advance }) => [
        ...steps.map(({ actionId }) => actionId),
        ...(advance?.__typename === 'TriggerGateSpec' ? [advance.on] : []),
      ])
      for (const id of new Set(named)) found.set(id, [...(found.get(id) ?? []), node.title])
    }
    return found
  }, [data])
  return { byId, isPartial: data?.definitions.pageInfo.hasNextPage ?? false }
}
