import { createContext, type ReactNode, use, useCallback, useMemo } from 'react'
import { ActionNamesDocument } from '../../generated/console/documents.ts'
import { useLive } from '../api/live-query.ts'
import type { StepName } from './step-name.ts'

const NOTHING = {}
const NamesContext = createContext<ReadonlyMap<string, string>>(new Map())

/** Knows what actions are called, for steps that have no label of their own. */
export function ActionNames({ children }: { children: ReactNode }) {
  const { data } = useLive({ query: ActionNamesDocument, variables: NOTHING }, null)
  const names = useMemo(() => new Map(data?.actions.map(({ id, label }) => [id, label])), [data])
  return <NamesContext value={names}>{children}</NamesContext>
}

export function useStepName(): StepName {
  const names = use(NamesContext)
  return useCallback(({ label, actionId }) => label || (names.get(actionId) ?? actionId), [names])
}
