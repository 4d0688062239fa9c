import { Outlet } from '@tanstack/react-router'
import { CueAlarm } from '../cues/cue-alarm.tsx'
import { OpenCues } from '../cues/open-cues.tsx'
import { ActionNames } from '../ui/action-names.tsx'
import { ControlHost } from '../ui/control-host.tsx'
import { Brand } from './brand.tsx'
import { ConnectionBanner, ConnectionSign } from './connection-sign.tsx'
import { Menu } from './menu.tsx'
import classes from './shell.module.css'
import { ViewerMenu } from './viewer-menu.tsx'

/** What every page stands in: where one is, how the connection is, who one is. */
export function Shell() {
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
      <main id="main" tabIndex={-1} className={classes.main}>
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
