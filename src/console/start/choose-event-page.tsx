import { TextInput, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconCalendarOff, IconSearch, IconZoomQuestion } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { StartableEventsDocument } from '../../generated/console/documents.ts'
import { useKept } from '../api/kept.ts'
import { useLive } from '../api/live-query.ts'
import { usePageTitle } from '../shell/page-title.ts'
import { Chip } from '../ui/chip.tsx'
import { Empty } from '../ui/empty.tsx'
import { NeedsRole } from '../ui/needs-role.tsx'
import { Unread } from '../ui/unread.tsx'
import classes from './start.module.css'

/** Between the last letter of a search and its answer. */
const SETTLE_MS = 200

/** Which event to start: all that are published, or those that a search finds. */
export function ChooseEventPage() {
  usePageTitle('Start a run')
  return (
    <NeedsRole needed="ADMIN" what="Starting a run">
      <Title order={1} fz="h2" mb="md">
        Start a run
      </Title>
      <Choice />
    </NeedsRole>
  )
}

function Choice() {
  const [text, setText] = useState('')
  const [search] = useDebouncedValue(text.trim(), SETTLE_MS)
  const live = useLive({ query: StartableEventsDocument, variables: { search: search === '' ? null : search } }, null)
  // What was found before stands until what is searched for now is known.
  const kept = useKept(live, { search })
  const found = kept?.answer
  const isSearch = kept !== undefined && kept.asked.search !== ''
  const events = found?.definitions.edges.map(({ node }) => node) ?? []
  const total = found?.definitions.totalCount ?? events.length

  return (
    <>
      <TextInput
        label="Which event"
        placeholder="Title, name or description"
        leftSection={<IconSearch size={18} aria-hidden />}
        size="md"
        mb="md"
        className={classes.search}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        type="search"
      />
      {found === undefined && <Unread what="the events" error={live.error} />}
      {found !== undefined && events.length === 0 && (
        <Empty
          icon={isSearch ? IconZoomQuestion : IconCalendarOff}
          title={
            isSearch ? 'No published event has this in its title, name or description' : 'No event is published yet'
          }
          level={2}
        >
          {isSearch ? (
            <p>Search for less of it. Drafts and what is archived are not listed: they cannot be started.</p>
          ) : (
            <p>
              Only what is published can run. Write a definition and publish it, here or as a file with{' '}
              <code>cuelight apply</code>.
            </p>
          )}
        </Empty>
      )}
      {events.length > 0 && (
        <ul className={classes.events} aria-label="Events">
          {events.map(({ id, slug, title, description, versionVerified }) => (
            <li key={id} className={classes.event}>
              <span className={classes.eventHead}>
                <Link to="/start/$slug" params={{ slug }} className={classes.eventLink}>
                  {title}
                </Link>
                <code className={classes.slug}>{slug}</code>
                {!versionVerified && <Chip tone="wait">Not verified</Chip>}
              </span>
              {description !== null && <span className={classes.about}>{description}</span>}
            </li>
          ))}
        </ul>
      )}
      <p role="status" className={classes.count}>
        {found === undefined || events.length === 0
          ? ''
          : events.length < total
            ? `The first ${events.length} of ${total}: search for the one you mean.`
            : `${total === 1 ? '1 event' : `${total} events`}.`}
      </p>
    </>
  )
}
