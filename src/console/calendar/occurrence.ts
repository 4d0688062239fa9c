import type { IconProps } from '@tabler/icons-react'
import {
  IconArrowsMove,
  IconCalendarDot,
  IconClockShare,
  IconHandStop,
  IconKey,
  IconLock,
  IconPlayerPause,
  IconRefreshAlert,
} from '@tabler/icons-react'
import type { ComponentType } from 'react'
import type { CalendarOccurrenceFragment } from '../../generated/console/documents.ts'
import { daylightSaving } from '../time/daylight-saving.ts'
import type { Tone } from '../ui/chip.tsx'
import { signOf, whyMissed } from '../ui/run-status.tsx'

export type Occurrence = CalendarOccurrenceFragment

/** The same for one occurrence however often it is read, once it has a run. */
export const keyOf = ({ run, definition, at }: Occurrence): string => run?.id ?? `${definition.id} ${at}`

/** Whether two readings are of one occurrence, which may have been given its run between them. */
export const isSame = (occurrence: Occurrence, before: Occurrence): boolean =>
  before.run === null
    ? occurrence.definition.id === before.definition.id && occurrence.at === before.at
    : occurrence.run?.id === before.run.id

type Sign = { word: string; tone: Tone; icon: ComponentType<IconProps> }

const PLANNED: Sign = { word: 'Planned', tone: 'calm', icon: IconCalendarDot }

/** How far it has got. */
export const statusOf = ({ run }: Occurrence): Sign => (run === null ? PLANNED : signOf(run.status))

/** Something about an occurrence that is not as ever: in a word, as a sentence, and how all of its kind are called. */
export type Remark = Sign & { name: string; kind: string; sentence: string; isTrouble: boolean }

export function remarksOf(occurrence: Occurrence): Remark[] {
  const { run, definition, timeZone, contends } = occurrence
  const remarks: Remark[] = []
  if (run !== null && run.waitingCues > 0) {
    remarks.push({
      kind: 'cue',
      name: 'Cue',
      word: run.waitingCues === 1 ? 'Cue' : `${run.waitingCues} cues`,
      sentence: 'A cue waits for a person.',
      tone: 'wait',
      icon: IconHandStop,
      isTrouble: false,
    })
  }
  if (run?.status === 'SCHEDULED' && run.source === 'SCHEDULE' && definition.schedulePaused) {
    remarks.push({
      kind: 'paused',
      name: 'Schedule paused',
      word: 'Schedule paused',
      sentence: 'The schedule is paused: at its instant it is missed, unless somebody resumes the schedule before.',
      tone: 'wait',
      icon: IconPlayerPause,
      isTrouble: true,
    })
  }
  if (run === null && !definition.versionVerified) {
    remarks.push({
      kind: 'held',
      name: 'Held: not verified',
      word: 'Held',
      sentence: 'No verification of the current version has passed, so that its schedule is held: verify it.',
      tone: 'wait',
      icon: IconLock,
      isTrouble: true,
    })
  }
  if (contends) {
    remarks.push({
      kind: 'contends',
      name: 'Contends for a concurrency key',
      word: 'Contends',
      sentence: `It needs the same concurrency key as ${rivalsOf(occurrence)}: only one of them runs at a time, and the other waits for as long as it may start late.`,
      tone: 'wait',
      icon: IconKey,
      isTrouble: true,
    })
  }
  const clocks = daylightSaving(occurrence, timeZone)
  if (clocks !== null) {
    remarks.push({
      kind: 'daylight-saving',
      name: 'Daylight saving',
      ...clocks,
      tone: 'info',
      icon: IconClockShare,
      isTrouble: false,
    })
  }
  if (run !== null && run.scheduledFor !== run.occurrenceAt) {
    remarks.push({
      kind: 'moved',
      name: 'Moved',
      word: 'Moved',
      sentence: 'Somebody moved its start: its log says who, and why.',
      tone: 'info',
      icon: IconArrowsMove,
      isTrouble: false,
    })
  }
  if (run?.rehearsal === true) {
    remarks.push({
      kind: 'rehearsal',
      name: 'Rehearsal',
      word: 'Rehearsal',
      sentence: 'A rehearsal: nothing in the world is changed.',
      tone: 'rehearsal',
      icon: IconRefreshAlert,
      isTrouble: false,
    })
  }
  return remarks
}

/** Why somebody should look at it: a run that did not happen, or may not. */
export function isTrouble(occurrence: Occurrence): boolean {
  const status = occurrence.run?.status
  return status === 'MISSED' || status === 'FAILED' || remarksOf(occurrence).some((remark) => remark.isTrouble)
}

/** Why it was missed, as a sentence; null: it was not. */
export function missedSentence({ run }: Occurrence): string | null {
  return run?.missedReason == null ? null : `It was missed: ${whyMissed(run.missedReason)}.`
}

function rivalsOf({ contendsWith, definition }: Occurrence): string {
  const names = contendsWith.map(({ id, title }) => (id === definition.id ? 'another of this event' : title))
  return new Intl.ListFormat('en-GB').format(names)
}
