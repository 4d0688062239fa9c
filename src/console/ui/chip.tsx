import type { IconProps } from '@tabler/icons-react'
import type { ComponentType, ReactNode } from 'react'
import classes from './ui.module.css'

export type Tone = 'live' | 'wait' | 'bad' | 'info' | 'calm' | 'rehearsal'

/** A state in a word: its colour only repeats what the word and the sign say. */
export function Chip({
  tone,
  icon: Icon,
  children,
}: {
  tone: Tone
  icon?: ComponentType<IconProps>
  children: ReactNode
}) {
  return (
    <span className={classes.chip} data-tone={tone}>
      {Icon !== undefined && <Icon size={14} stroke={2.2} aria-hidden />}
      {children}
    </span>
  )
}
