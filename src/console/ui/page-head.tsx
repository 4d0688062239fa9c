import { Title } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './ui.module.css'

type PageHeadProps = {
  title: string
  /** What the page is for. */
  children?: ReactNode
  aside?: ReactNode
}

/** What a page is called and is for, with what may be done on it. */
export function PageHead({ title, children, aside }: PageHeadProps) {
  return (
    <div className={classes.pageHead}>
      <div>
        <Title order={1} fz="h2">
          {title}
        </Title>
        {children !== undefined && <p className={classes.intro}>{children}</p>}
      </div>
      {aside}
    </div>
  )
}
