import { IconMapOff } from '@tabler/icons-react'
import { StartFormDocument } from '../../generated/console/documents.ts'
import { sentenceOf } from '../api/act.ts'
import { useLive } from '../api/live-query.ts'
import { useLookAgain } from '../api/look-again.ts'
import { usePageTitle } from '../shell/page-title.ts'
import { Empty } from '../ui/empty.tsx'
import { LinkButton } from '../ui/link-button.tsx'
import { Loading } from '../ui/loading.tsx'
import { NeedsRole } from '../ui/needs-role.tsx'
import { StartForm } from './start-form.tsx'

type StartPageProps = {
  slug: string
  /** The instant that the form begins with; null: now. */
  at: string | null
}

/** Starting the event of an address. */
export function StartPage(props: StartPageProps) {
  return (
    <NeedsRole needed="ADMIN" what="Starting a run">
      <Start {...props} />
    </NeedsRole>
  )
}

function Start({ slug, at }: StartPageProps) {
  const { data, error, refresh } = useLive({ query: StartFormDocument, variables: { slug } }, null)
  useLookAgain(refresh)
  const event = data?.definition ?? null
  usePageTitle(event === null ? 'Start a run' : `Start ${event.title}`)

  if (data === undefined && error === null) return <Loading what="the event" />
  if (event?.state === 'READY' && event.currentVersion !== null) {
    const scopes = event.runs.edges.map(({ node }) => node.scope).filter((scope) => scope !== '')
    return (
      <StartForm
        event={event}
        version={event.currentVersion}
        scopes={[...new Set(scopes)]}
        at={at}
        onRefused={refresh}
      />
    )
  }
  const title =
    event === null
      ? data === undefined
        ? 'The event could not be read'
        : 'There is no event of this name'
      : event.state === 'ARCHIVED'
        ? `${event.title} is archived`
        : `${event.title} is a draft`
  const what =
    event === null
      ? data === undefined
        ? sentenceOf(error)
        : 'The address may be mistyped, or from another server.'
      : event.state === 'ARCHIVED'
        ? 'What is archived is not started any more. Create another event to run it again.'
        : 'Publish it first: only what is published can run.'
  return (
    <Empty icon={IconMapOff} title={title} level={1}>
      <p>{what}</p>
      <LinkButton to="/start">Choose an event</LinkButton>
    </Empty>
  )
}
