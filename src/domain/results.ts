import type { Participation } from './answer-parts.ts'
import { resultsPublished } from './log.ts'
import type { Draft, Instant, Step } from './picture.ts'

/** Keeps who takes part; a rehearsal has nobody. */
export function takePart(draft: Draft, participants: readonly Participation[]): void {
  if (!draft.facts.rehearsal) draft.participants = draft.participants.concat(participants)
}

/** Has the participants ranked and published with the draft; a rehearsal publishes nothing. */
export function publishResults(
  draft: Draft,
  step: Step,
  { participants, now }: { participants: number; now: Instant },
): void {
  if (draft.facts.rehearsal) return
  draft.resultsAt = now
  draft.lines.push(resultsPublished({ at: now, step }, { participants }))
}
