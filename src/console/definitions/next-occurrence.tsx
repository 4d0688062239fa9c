import type { OccurrenceFragment } from '../../generated/console/documents.ts'
import { Countdown } from '../time/countdown.tsx'
import { Instant } from '../time/instant.tsx'
import { Chip } from '../ui/chip.tsx'

type OccurrenceProps = { occurrence: OccurrenceFragment; zone: string }

/** When an event is next due, and what daylight saving did to that. */
export function NextOccurrence({ occurrence, zone }: OccurrenceProps) {
  return (
    <>
      <DaylightSaving occurrence={occurrence} />
      <Instant at={occurrence.at} zone={zone} />
      <strong>
        <Countdown until={occurrence.at} what="due" />
      </strong>
    </>
  )
}

/** Says where the clocks change at an occurrence; nothing elsewhere. */
export function DaylightSaving({ occurrence: { adjusted, shiftMinutes, local } }: { occurrence: OccurrenceFragment }) {
  if (adjusted === null) return null
  const time = local.slice(11)
  return (
    <Chip tone="wait">
      {adjusted === 'GAP'
        ? `Clocks skip ${time}: ${shiftMinutes ?? 0} min later`
        : `Clocks show ${time} twice: the first`}
    </Chip>
  )
}
