import { ActionIcon } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconCopy, IconTrash } from '@tabler/icons-react'
import classes from './draft.module.css'

type PartButtonsProps = {
  /** What the part is called: "step 2, Welcome". */
  what: string
  partKey: string
  canUp: boolean
  canDown: boolean
  onMove(by: 1 | -1): void
  onCopy?(): void
  onRemove(): void
}

/** Moves a part of a list up and down, duplicates it, takes it out. */
export function PartButtons({ what, partKey, canUp, canDown, onMove, onCopy, onRemove }: PartButtonsProps) {
  const look = { variant: 'subtle', color: 'gray', size: 'lg' } as const
  return (
    <span className={classes.buttons}>
      <ActionIcon
        {...look}
        id={`up-${partKey}`}
        aria-label={`Move ${what} up`}
        disabled={!canUp}
        onClick={() => onMove(-1)}
      >
        <IconArrowUp size={18} aria-hidden />
      </ActionIcon>
      <ActionIcon
        {...look}
        id={`down-${partKey}`}
        aria-label={`Move ${what} down`}
        disabled={!canDown}
        onClick={() => onMove(1)}
      >
        <IconArrowDown size={18} aria-hidden />
      </ActionIcon>
      {onCopy !== undefined && (
        <ActionIcon {...look} aria-label={`Duplicate ${what}`} onClick={onCopy}>
          <IconCopy size={18} aria-hidden />
        </ActionIcon>
      )}
      <ActionIcon {...look} aria-label={`Remove ${what}`} onClick={onRemove}>
        <IconTrash size={18} aria-hidden />
      </ActionIcon>
    </span>
  )
}
