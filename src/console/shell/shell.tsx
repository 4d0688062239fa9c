import { Outlet, useLocation } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { CueAlarm } from '../cues/cue-alarm.tsx'
import { OpenCues } from '../cues/open-cues.tsx'
import { ActionNames } from '../ui/action-names.tsx'
import { ControlHost } from '../ui/control-host.tsx'
import { Brand } from './brand.tsx'
import { ConnectionBanner, ConnectionSign } from './connection-sign.tsx'
import { keepFocus } from './keep-focus.ts'
import { Menu } from './menu.tsx'
import classes from './shell.module.css'
import { ViewerMenu } from './viewer-menu.tsx'

/** What every page stands in: where one is, how the connection is, who one is. */
export function Shell() {
  const main = useRef<HTMLElement>(null)
  const path = useLocation({ select: ({ pathname }) => pathname })
  const shown = useRef(path)
  useEffect(() => (main.current === null ? undefined : keepFocus(main.current)), [])
  useEffect(() => {
    // The keyboard goes on at the top of another page, and not where the last one was left.
    if (path !== shown.current) main.current?.focus({ preventScroll: true })
    shown.current = path
  }, [path])
  return (
    <OpenCues>
      <a href="#main" className={classes.skip}>
        Skip to the page
      </a>
      <header className={classes.header}>
        <Brand />
        <Menu />
        <div className={classes.end}>
          <ConnectionSign />
          <ViewerMenu />
        </div>
      </header>
      <ConnectionBanner />
      <main id="main" ref={main} tabIndex={-1} className={classes.main}>
        <ActionNames>
          <ControlHost>
            <Outlet />
          </ControlHost>
        </ActionNames>
      </main>
      <CueAlarm />
    </OpenCues>
  )
}
