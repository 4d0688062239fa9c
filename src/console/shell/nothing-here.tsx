import { IconMapOff } from '@tabler/icons-react'
import { Empty } from '../ui/empty.tsx'
import { LinkButton } from '../ui/link-button.tsx'
import { usePageTitle } from './page-title.ts'

export function NothingHere() {
  usePageTitle('Nothing here')
  return (
    <Empty icon={IconMapOff} title="There is no page at this address" level={1}>
      <p>It may be mistyped, or from another version of the server.</p>
      <LinkButton to="/">Go to Now</LinkButton>
    </Empty>
  )
}
