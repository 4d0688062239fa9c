import { useCallback } from 'react'
import { useStepName } from '../ui/action-names.tsx'
import type { Content } from './content.ts'
import { type Difference, differences } from './differences.ts'

/** Tells how one content differs from another, with its steps as they are called everywhere. */
export function useDifferences(): (before: Content, after: Content) => Difference[] {
  const stepName = useStepName()
  return useCallback((before, after) => differences(before, after, stepName), [stepName])
}
