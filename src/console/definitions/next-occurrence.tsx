import { IconArrowsMove } from '@tabler/icons-react'
import type { OccurrenceFragment } from '../../generated/console/documents.ts'
import { Chip } from '../ui/chip.tsx'
import type { Coming } from './coming.ts'

/** What is not as ever at what comes: a person moved it, or the clocks change. */
export function ComingSigns({ coming: { isMoved, plan } }: { coming: Coming }) {
  if (!isMoved) return plan === null ? null : <DaylightSaving occurrence={plan} />
  return (
    <Chip tone="info" icon={IconArrowsMove}>
      Moved
    </Chip>
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
