import { useMemo } from 'react'
import {
  type RunIdentityQuery,
  RunsChangedDocument,
  type RunsChangedSubscription,
  type RunsChangedSubscriptionVariables,
} from '../../generated/console/documents.ts'
import type { Changes } from '../api/live-query.ts'

export type RunChanges = Changes<RunsChangedSubscription, RunsChangedSubscriptionVariables>

/** What says that one run has changed: the feed of its definition and scope, of which only this run counts. */
export function useRunChanges({ id, scope, definition }: NonNullable<RunIdentityQuery['run']>): RunChanges {
  return useMemo(
    () => ({
      document: RunsChangedDocument,
      variables: { filter: { definitionId: definition.id, scope } },
      concerns: ({ runs }) => runs.run.id === id,
    }),
    [id, scope, definition.id],
  )
}
