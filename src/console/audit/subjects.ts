import { useMemo } from 'react'
import { AuditSubjectsDocument } from '../../generated/console/documents.ts'
import { useLive } from '../api/live-query.ts'

/** Names of what ids are of, where it is still there. Ids of actions are names themselves. */
export function useSubjects(ids: readonly (string | null)[]): ReadonlyMap<string, string> {
  const asked = [...new Set(ids.filter((id): id is string => id !== null && /^(def|tok)_/.test(id)))].sort()
  const { data } = useLive({ query: AuditSubjectsDocument, variables: { ids: asked } }, null)
  return useMemo(() => {
    const names = new Map<string, string>()
    for (const node of data?.nodes ?? []) {
      if (node === null) continue
      if ('title' in node) names.set(node.id, node.title)
      if ('name' in node) names.set(node.id, node.name)
    }
    return names
  }, [data])
}
