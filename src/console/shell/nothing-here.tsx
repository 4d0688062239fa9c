import { IconMapOff } from '@tabler/icons-react'
import { Empty } from '../ui/empty.tsx'
import { LinkButton } from '../ui/link-button.tsx'

export function NothingHere() {
  return (
    <Empty icon={IconMapOff} title="There is no page at this address" level={1}>
      <p>It may be mistyped, or from another version of the server.</p>
      <LinkButton to="/">Go to Now</LinkButton>
    </Empty>
  )
}
