import { useState } from 'react'
import { type NextStart, nextStarts } from '../../domain/next-starts.ts'
import type {
  DefinitionRowFragment,
  OccurrenceFragment,
  WhatIsNextFragment,
} from '../../generated/console/documents.ts'
import { serverNow } from '../api/server-clock.ts'

export type Coming = NextStart<OccurrenceFragment>

/** As many as the page of a definition lists. */
const SHOWN = 8
/** A run may wait for its start for a day after its instant: its longest grace. The second is for who keeps the page open. */
const LATEST_MS = 2 * 86_400_000

/** What of an event starts next, earliest first. */
export function comingOf({
  schedulePaused: isPaused,
  planned,
  waiting,
  over,
}: WhatIsNextFragment & Pick<DefinitionRowFragment, 'schedulePaused'>): Coming[] {
  const runsOf = ({ edges }: WhatIsNextFragment['over']) => edges.map(({ node }) => node)
  return nextStarts({ isPaused, planned, waiting: runsOf(waiting), over: runsOf(over) }).slice(0, SHOWN)
}

/** From when on runs may still wait for their start, the same for as long as a page is open. */
export function useSince(): string {
  const [since] = useState(() => new Date(serverNow() - LATEST_MS).toISOString())
  return since
}
