import type { CombinedError } from '@urql/core'
import { createContext, type ReactNode, use } from 'react'
import { type CueCardFragment, CuesChangedDocument, OpenCuesDocument } from '../../generated/console/documents.ts'
import { useLive } from '../api/live-query.ts'

type OpenCuesValue = {
  cues: readonly CueCardFragment[]
  /** Whether they were read once. */
  known: boolean
  /** Why they could not be read last; null: they could. */
  error: CombinedError | null
  refresh(): void
}

const OpenCuesContext = createContext<OpenCuesValue | null>(null)
const NONE: readonly CueCardFragment[] = []
const EVERY = {}

/** Follows the cues that wait for a person, once for the whole console. */
export function OpenCues({ children }: { children: ReactNode }) {
  const { data, error, refresh } = useLive(
    { query: OpenCuesDocument, variables: EVERY },
    { document: CuesChangedDocument, variables: EVERY },
  )
  return (
    <OpenCuesContext value={{ cues: data?.cues ?? NONE, known: data !== undefined, error, refresh }}>
      {children}
    </OpenCuesContext>
  )
}

/** The cues that wait for a person, oldest first. */
export function useOpenCues(): OpenCuesValue {
  const value = use(OpenCuesContext)
  if (value === null) throw new Error('There are no cues outside of the shell.')
  return value
}
