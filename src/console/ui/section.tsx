import { Group, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'
import classes from './ui.module.css'

/** A part of a page under a heading of its own. */
export function Section({
  title,
  count,
  aside,
  children,
}: {
  title: string
  count?: number
  aside?: ReactNode
  children: ReactNode
}) {
  const id = useId()
  return (
    <section aria-labelledby={id} className={classes.section}>
      <Group justify="space-between" mb="xs" gap="xs">
        <Title order={2} fz="lg" id={id}>
          {title}
          {count !== undefined && count > 0 && <span className={classes.count}> {count}</span>}
        </Title>
        {aside}
      </Group>
      {children}
    </section>
  )
}
