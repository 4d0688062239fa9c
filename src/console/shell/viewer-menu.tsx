import { Menu, Text, UnstyledButton, useMantineColorScheme } from '@mantine/core'
import { IconChevronDown, IconCode, IconLogout, IconUserCircle } from '@tabler/icons-react'
import { ROLES } from '../session/roles.ts'
import { forgetToken } from '../session/token.ts'
import { useViewer } from '../session/viewer-context.ts'
import classes from './shell.module.css'

/** Who is signed in and what they may do; light or dark; signing out. */
export function ViewerMenu() {
  const { name, role } = useViewer()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Menu position="bottom-end" width={280} withinPortal={false} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <UnstyledButton className={classes.viewer} aria-label={`${name}, ${role}: your menu`}>
          <IconUserCircle size={22} stroke={1.6} aria-hidden />
          <span className={classes.viewerName}>{name}</span>
          <IconChevronDown size={16} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <div className={classes.who}>
          <Text fw={600} truncate>
            {name}
          </Text>
          <Text fz="sm" c="dimmed">
            {role}. {ROLES.find((each) => each.role === role)?.may}
          </Text>
        </div>
        <Menu.RadioGroup value={colorScheme} onChange={(value) => setColorScheme(value as typeof colorScheme)}>
          <Menu.RadioItem value="auto">Light or dark as the device</Menu.RadioItem>
          <Menu.RadioItem value="light">Light</Menu.RadioItem>
          <Menu.RadioItem value="dark">Dark</Menu.RadioItem>
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item component="a" href="/graphql" leftSection={<IconCode size={18} aria-hidden />}>
          The API (GraphiQL)
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={18} aria-hidden />} onClick={forgetToken}>
          Sign out and forget the token
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
