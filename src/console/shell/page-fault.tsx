import { Button, Group } from '@mantine/core'
import { IconBug } from '@tabler/icons-react'
import { Empty } from '../ui/empty.tsx'
import { LinkButton } from '../ui/link-button.tsx'
import { usePageTitle } from './page-title.ts'

/** In place of a page that has a fault; what it stands in goes on. */
export function PageFault({ error }: { error: unknown }) {
  usePageTitle('A fault of the console')
  return (
    <Empty icon={IconBug} title="This page of the console has a fault" level={1}>
      <p>
        The server is not touched by it, and runs go on. Load the page anew; if it comes again, tell whoever looks after
        the server what you did and what stands here: <code>{String(error)}</code>
      </p>
      <Group justify="center">
        <Button onClick={() => location.reload()}>Load the page anew</Button>
        <LinkButton variant="default" to="/">
          Go to Now
        </LinkButton>
      </Group>
    </Empty>
  )
}
