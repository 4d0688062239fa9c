import { useMemo } from 'react'
import {
  type RunConsoleFragment,
  RunsChangedDocument,
  type RunsChangedSubscription,
  type RunsChangedSubscriptionVariables,
} from '../../generated/console/documents.ts'
import type { Changes } from '../api/live-query.ts'

export type RunChanges = Changes<RunsChangedSubscription, RunsChangedSubscriptionVariables>

/** What says that one run has changed: the feed of its definition and scope, of which only this run counts. Null: not known yet. */
export function useRunChanges(run: RunConsoleFragment | null): RunChanges | null {
  const id = run?.id
  const scope = run?.scope
  const definitionId = run?.definition.id
  return useMemo(() => {
    if (id === undefined || scope === undefined || definitionId === undefined) return null
    return {
      document: RunsChangedDocument,
      variables: { filter: { definitionId, scope } },
      concerns: ({ runs }) => runs.run.id === id,
    }
  }, [id, scope, definitionId])
}
