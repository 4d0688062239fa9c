import { IconLock } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { Role } from '../../generated/console/documents.ts'
import { useMay, useViewer } from '../session/viewer-context.ts'
import { Empty } from './empty.tsx'
import { LinkButton } from './link-button.tsx'

/** Shows a page to who may see it, and says to others that they may not; nothing is asked of the server then. */
export function NeedsRole({ needed, what, children }: { needed: Role; what: string; children: ReactNode }) {
  const viewer = useViewer()
  if (useMay(needed)) return children
  return (
    <Empty icon={IconLock} title={`${what} needs the role ${needed}`} level={1}>
      <p>
        You are <bdi>{viewer.name}</bdi>, and your role is {viewer.role}. Ask an admin of this server, or sign in with
        another token: the menu at the top right forgets this one.
      </p>
      <LinkButton to="/">Go to Now</LinkButton>
    </Empty>
  )
}
