import { IconAlertTriangle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import classes from './ui.module.css'

type NoticeProps = { tone: 'bad' | 'wait'; title?: string; children: ReactNode }

/** Something that has to be known now: it is read out at once. */
export function Notice({ tone, title, children }: NoticeProps) {
  return (
    <div role="alert" className={classes.notice} data-tone={tone}>
      <IconAlertTriangle size={20} aria-hidden />
      <div>
        {title !== undefined && <strong className={classes.noticeTitle}>{title}</strong>}
        {children}
      </div>
    </div>
  )
}
