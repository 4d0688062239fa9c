import { Menu, Text, UnstyledButton } from '@mantine/core'
import { IconDots } from '@tabler/icons-react'
import { Link, useLocation } from '@tanstack/react-router'
import { includesRole } from '../../domain/access.ts'
import { useViewer } from '../session/viewer-context.ts'
import { DESK_PAGES, MORE_PAGES } from './pages.ts'
import classes from './shell.module.css'

/** The pages that are needed less often, or that a phone's menu has no room for, behind one entry of the menu. */
export function MoreMenu({ isPhone }: { isPhone: boolean }) {
  const viewer = useViewer()
  const path = useLocation({ select: ({ pathname }) => pathname })
  const pages = [...(isPhone ? DESK_PAGES : []), ...MORE_PAGES].filter(({ role }) => includesRole(viewer.role, role))
  const current = pages.find(({ to }) => path === to)
  return (
    <Menu position="bottom-end" width={290} withinPortal={false} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <UnstyledButton className={classes.page} data-current={current !== undefined || undefined}>
          <IconDots size={20} aria-hidden />
          More
          {current !== undefined && <span className={classes.hidden}>, {current.label} is shown</span>}
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {pages.map(({ to, label, about, icon: Icon }) => (
          <Menu.Item
            key={to}
            leftSection={<Icon size={20} aria-hidden />}
            renderRoot={(props) => <Link to={to} activeOptions={{ includeSearch: false }} {...props} />}
          >
            {label}
            <Text fz="sm" c="var(--calm)">
              {about}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
