import { Tooltip, VisuallyHidden } from '@mantine/core'
import { IconArrowsMove, IconClockShare } from '@tabler/icons-react'
import type { NextStartWordsFragment, OccurrenceFragment } from '../../generated/console/documents.ts'
import { daylightSaving } from '../time/daylight-saving.ts'
import { Chip } from '../ui/chip.tsx'
import classes from './definition.module.css'

/** What is not as ever at what starts next: a person moved it, or the clocks change. */
export function NextStartSigns({ start, zone }: { start: NextStartWordsFragment; zone: string }) {
  if (!start.moved) return <DaylightSaving occurrence={start} zone={zone} />
  return (
    <Chip tone="info" icon={IconArrowsMove}>
      Moved
    </Chip>
  )
}

/** Says where the clocks change at an occurrence; nothing elsewhere. */
export function DaylightSaving({ occurrence, zone }: { occurrence: Omit<OccurrenceFragment, 'at'>; zone: string }) {
  const clocks = daylightSaving(occurrence, zone)
  if (clocks === null) return null
  return (
    <Tooltip label={clocks.sentence} events={{ hover: true, focus: true, touch: true }} multiline maw={320}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard has to come to it for what it says */}
      <span tabIndex={0} className={classes.told}>
        <Chip tone="info" icon={IconClockShare}>
          {clocks.word}
        </Chip>
        <VisuallyHidden>. {clocks.sentence}</VisuallyHidden>
      </span>
    </Tooltip>
  )
}
