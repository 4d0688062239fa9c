import { IconLock } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useMay } from '../session/viewer-context.ts'
import { Empty } from '../ui/empty.tsx'
import { LinkButton } from '../ui/link-button.tsx'

/** Shows its children to who may start runs. */
export function OnlyAdmins({ children }: { children: ReactNode }) {
  if (useMay('ADMIN')) return children
  return (
    <Empty icon={IconLock} title="Runs are started by admins" level={1}>
      <p>Ask an admin to start it, or for a token whose role is ADMIN.</p>
      <LinkButton to="/">Go to Now</LinkButton>
    </Empty>
  )
}
