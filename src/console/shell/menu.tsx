import { Link } from '@tanstack/react-router'
import { useOpenCues } from '../cues/open-cues.tsx'
import { useIsPhone } from '../ui/use-is-phone.ts'
import { MoreMenu } from './more-menu.tsx'
import { DESK_PAGES, PAGES } from './pages.ts'
import classes from './shell.module.css'

/** The pages: along the top, on a phone along the bottom where a thumb is. */
export function Menu() {
  const { cues } = useOpenCues()
  const isPhone = useIsPhone()
  return (
    <nav aria-label="Pages" className={classes.menu}>
      {PAGES.map(({ to, label, icon: Icon, hasCues }) => (
        <Link key={to} to={to} className={classes.page} activeOptions={{ exact: to === '/', includeSearch: false }}>
          <Icon size={20} aria-hidden />
          {label}
          {hasCues && cues.length > 0 && (
            <span className={classes.badge}>
              {cues.length}
              <span className={classes.hidden}> waiting</span>
            </span>
          )}
        </Link>
      ))}
      {!isPhone &&
        DESK_PAGES.map(({ to, label, icon: Icon }) => (
          <Link key={to} to={to} className={classes.page} activeOptions={{ includeSearch: false }}>
            <Icon size={20} aria-hidden />
            {label}
          </Link>
        ))}
      <MoreMenu isPhone={isPhone} />
    </nav>
  )
}
