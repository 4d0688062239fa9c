import { Title } from '@mantine/core'
import type { IconProps } from '@tabler/icons-react'
import type { ComponentType, ReactNode } from 'react'
import classes from './ui.module.css'

type EmptyProps = {
  icon: ComponentType<IconProps>
  title: string
  /** What to do about it. */
  children?: ReactNode
  level?: 1 | 2 | 3
}

/** What stands where a list is empty: that it is, and what to do. */
export function Empty({ icon: Icon, title, children, level = 3 }: EmptyProps) {
  return (
    <div className={classes.empty}>
      <Icon size={28} stroke={1.5} aria-hidden />
      <Title order={level} fz="md">
        {title}
      </Title>
      {children}
    </div>
  )
}
