import type { IcalEvent } from './icalendar.ts'
import type { RunStatus } from './run.ts'

/** An occurrence as the calendar feed tells of it. Instants in milliseconds since the epoch. */
export type FeedOccurrence = {
  /** Of the definition, the scope and the occurrence's key: it stays through moves, new versions, and the making of its run. */
  uid: string
  scope: string
  at: number
  timeZone: string
  /** Number of the version that it is of. */
  version: number
  /** How often its schedule was paused or resumed. */
  turns: number
  modified: number
  run: FeedRun | null
  /** It will not start by itself: a projection of a version that is not verified, or a run of a paused schedule. */
  held: boolean
}

export type FeedRun = {
  id: string
  status: RunStatus
  startedAt: number | null
  endedAt: number | null
  waitingCues: number
  /** Number of its last log line. */
  lastLine: number
}

export type FeedDefinition = { slug: string; title: string; description: string | null; updatedAt: number }

/** More lines than the sequence of one version has numbers for are all its last. */
const SEQUENCES_OF_VERSION = 10_000

/** Characters of a definition's description that an event shows: each of its occurrences repeats them. */
export const DESCRIPTION_SHOWN = 1_000

/**
 * An occurrence as an event. `local`: what the clocks of its zone show at its start; `link`: where its run can be seen,
 * null where that is not known.
 */
export function eventOf(
  occurrence: FeedOccurrence,
  { definition, local, link }: { definition: FeedDefinition; local: string; link: string | null },
): IcalEvent {
  const { uid, scope, at, modified, run } = occurrence
  const { slug, title, description, updatedAt } = definition
  const paragraphs = [
    shortened(description ?? ''),
    stateSentence(occurrence),
    `${local.replace('T', ' ')} in ${occurrence.timeZone}`,
    slug,
  ]
  return {
    uid,
    at,
    // Of what never started no time is known.
    end: run?.startedAt == null ? null : run.endedAt,
    sequence: sequenceOf(occurrence),
    modified: Math.max(modified, updatedAt),
    status: statusOf(occurrence),
    summary: scope === '' ? title : `${title} (${scope})`,
    location: scope,
    description: [...paragraphs, link ?? ''].filter((paragraph) => paragraph !== '').join('\n'),
    url: link,
  }
}

/** A new version takes an occurrence along, or makes it anew with the first line: never a lower one. */
function sequenceOf({ version, turns, run, held }: FeedOccurrence): number {
  // A plan has the numbers below its run's first: one while its version is not verified, one from then on.
  const ofItself = run === null ? Number(!held) : run.lastLine + 1
  const changes = turns + ofItself
  return version * SEQUENCES_OF_VERSION + Math.min(changes, SEQUENCES_OF_VERSION - 1)
}

function shortened(text: string): string {
  const characters = [...text]
  return characters.length > DESCRIPTION_SHOWN ? `${characters.slice(0, DESCRIPTION_SHOWN).join('')}…` : text
}

function statusOf({ run, held }: FeedOccurrence): IcalEvent['status'] {
  if (run?.status === 'CANCELLED' || run?.status === 'MISSED') return 'CANCELLED'
  return held ? 'TENTATIVE' : 'CONFIRMED'
}

function stateSentence({ run, held }: FeedOccurrence): string {
  if (run === null) return held ? 'Planned, but held: its version is not verified.' : 'Planned.'
  switch (run.status) {
    case 'SCHEDULED':
      return held ? 'Held: its schedule is paused.' : 'Starts by itself.'
    case 'STARTING':
    case 'RUNNING':
    case 'ENDING':
      return `Under way.${cuesSentence(run)}`
    case 'PAUSED':
      return `Paused.${cuesSentence(run)}`
    case 'COMPLETED':
      return 'Completed.'
    case 'CANCELLED':
      return 'Cancelled.'
    case 'FAILED':
      return 'Failed.'
    case 'MISSED':
      return 'Missed: it did not start in time.'
  }
}

function cuesSentence({ waitingCues }: FeedRun): string {
  if (waitingCues === 0) return ''
  return waitingCues === 1 ? ' A cue waits for a person.' : ` ${waitingCues} cues wait for a person.`
}
