import type { Command } from 'commander'
import { z } from 'zod'
import { askApi } from './api.ts'
import { countFrom } from './count.ts'
import { showInstant } from './instant.ts'
import { printable } from './printable.ts'
import { type ClientOptions, clientCommand, inSession, type Session } from './session.ts'
import { table } from './table.ts'

/** As many as the API answers in one page. */
const MOST = 500

type EventsOptions = ClientOptions & { all?: boolean; search?: string; first: number }

const Event = z.object({
  id: z.string(),
  slug: z.string(),
  title: z.string(),
  state: z.string(),
  timeZone: z.string(),
  schedulePaused: z.boolean(),
  versionVerified: z.boolean(),
  currentVersion: z.object({ version: z.number() }).nullable(),
  nextStarts: z.array(
    z.object({
      at: z.string(),
      scope: z.string(),
      moved: z.boolean(),
      run: z.object({ id: z.string() }).nullable(),
    }),
  ),
  planned: z.array(z.object({ at: z.string() })),
})
type Event = z.infer<typeof Event>
// What is planned tells whether an unverified version holds anything back.
const EVENT = `{
  id slug title state timeZone schedulePaused versionVerified currentVersion { version }
  nextStarts(first: 1) { at scope moved run { id } } planned: nextOccurrences(first: 1) { at }
}`
const Events = z.object({
  definitions: z.object({
    edges: z.array(z.object({ node: Event })),
    pageInfo: z.object({ hasNextPage: z.boolean() }),
  }),
})

export function eventsCommand(): Command {
  return clientCommand('events')
    .description('events by slug, and when each is next; where nothing else is said, those that are not archived')
    .option('-a, --all', 'archived ones, too')
    .option('--search <text>', 'with this text in slug, title or description')
    .option('-n, --first <count>', `at most so many, up to ${MOST}`, countFrom(1, MOST), 100)
    .action(listEvents)
}

function listEvents({ all, search, first, ...options }: EventsOptions): Promise<void> {
  return inSession(options, async (session) => {
    const { definitions } = await askApi(session.config, {
      document: `query ($first: Int, $filter: DefinitionFilter) {
        definitions(first: $first, filter: $filter) { edges { node ${EVENT} } pageInfo { hasNextPage } }
      }`,
      variables: {
        first,
        filter: {
          ...(all === true ? {} : { state: ['DRAFT', 'READY'] }),
          ...(search === undefined ? {} : { search }),
        },
      },
      shape: Events,
    })
    const events = definitions.edges.map(({ node }) => node)
    const how = '"cuelight apply" makes them from files; "cuelight events --all" shows archived ones.'
    session.answer(events.map(asShown), () =>
      events.length === 0 ? `There are no such events. ${how}` : tableOf(session, events),
    )
    if (definitions.pageInfo.hasNextPage) {
      session.remark(`There are more; --first shows up to ${MOST}, --search those with a text.`)
    }
  })
}

function tableOf({ viewerZone }: Session, events: readonly Event[]): string {
  return table(
    ['EVENT', 'STATE', 'VERSION', 'NEXT', 'TITLE'],
    events.map((event) => [
      event.slug,
      event.state,
      String(event.currentVersion?.version ?? ''),
      nextOf(event, viewerZone),
      printable(event.title),
    ]),
  )
}

/** An event as scripts see it: when it starts next, and not what its schedule plans, which may be held or cancelled. */
const asShown = ({ planned, ...event }: Event) => event

function nextOf({ nextStarts: [next], planned, ...event }: Event, viewerZone: string): string {
  if (next !== undefined) return showInstant(next.at, { viewerZone, eventZone: event.timeZone })
  if (event.schedulePaused) return 'schedule paused'
  return planned.length > 0 && !event.versionVerified ? 'held: not verified' : ''
}
