import {
  IconAlertTriangle,
  IconBan,
  IconCalendarClock,
  IconCircleCheck,
  IconClockX,
  IconFlag,
  IconHourglass,
  IconPlayerPause,
  IconPlayerPlay,
  IconRefreshAlert,
  IconX,
} from '@tabler/icons-react'
import type { MissedReason, RunHealth, RunStatus } from '../../generated/console/documents.ts'
import { Chip } from './chip.tsx'

const STATUS = {
  SCHEDULED: { word: 'Scheduled', tone: 'info', icon: IconCalendarClock },
  STARTING: { word: 'Starting', tone: 'live', icon: IconPlayerPlay },
  RUNNING: { word: 'Running', tone: 'live', icon: IconPlayerPlay },
  PAUSED: { word: 'Paused', tone: 'wait', icon: IconPlayerPause },
  ENDING: { word: 'Ending', tone: 'live', icon: IconFlag },
  COMPLETED: { word: 'Completed', tone: 'calm', icon: IconCircleCheck },
  CANCELLED: { word: 'Cancelled', tone: 'calm', icon: IconBan },
  FAILED: { word: 'Failed', tone: 'bad', icon: IconX },
  MISSED: { word: 'Missed', tone: 'bad', icon: IconClockX },
} as const

/** A status in a word, its colour and its sign. */
export const signOf = (status: RunStatus) => STATUS[status]

/** The word for a status in a sentence. */
export const wordOf = (status: RunStatus): string => STATUS[status].word.toLowerCase()

const MISSED = {
  KEY_HELD: 'another run held its concurrency key',
  NOT_RUNNING: 'no runner was there to start it',
  SCHEDULE_PAUSED: 'its schedule was paused',
} as const

/** Why a run was missed, as a clause. */
export const whyMissed = (reason: MissedReason): string => MISSED[reason]

export function StatusChip({ status }: { status: RunStatus }) {
  const { word, tone, icon } = STATUS[status]
  return (
    <Chip tone={tone} icon={icon}>
      {word}
    </Chip>
  )
}

/** How well a run goes, where there is something to say. */
export function HealthChip({ health, stalledSince }: { health: RunHealth; stalledSince: string | null }) {
  return (
    <>
      {(health === 'STALLED' || stalledSince !== null) && (
        <Chip tone="bad" icon={IconHourglass}>
          {stalledSince === null ? 'Was stalled' : 'Stalled'}
        </Chip>
      )}
      {health === 'DEGRADED' && (
        <Chip tone="bad" icon={IconAlertTriangle}>
          Degraded
        </Chip>
      )}
    </>
  )
}

export function RehearsalChip() {
  return (
    <Chip tone="rehearsal" icon={IconRefreshAlert}>
      Rehearsal
    </Chip>
  )
}
