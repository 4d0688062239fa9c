import type { Command } from 'commander'
import { z } from 'zod'
import { type MadeRun, nextStarts } from '../domain/next-starts.ts'
import { askApi } from './api.ts'
import { countFrom } from './count.ts'
import { showInstant } from './instant.ts'
import { printable } from './printable.ts'
import { type ClientOptions, clientCommand, inSession, type Session } from './session.ts'
import { table } from './table.ts'

/** As many as the API answers in one page. */
const MOST = 500

/** A run may wait for its start for a day after its instant: its longest grace. */
const LONGEST_GRACE_MS = 86_400_000

type EventsOptions = ClientOptions & { all?: boolean; search?: string; first: number }

const Made: z.ZodType<MadeRun> = z.object({
  occurrenceAt: z.string(),
  scheduledFor: z.string(),
  scope: z.string(),
  source: z.enum(['MANUAL', 'SCHEDULE']),
})
const Runs = z
  .object({ edges: z.array(z.object({ node: Made })) })
  .transform(({ edges }) => edges.map(({ node }) => node))
const Event = z.object({
  id: z.string(),
  slug: z.string(),
  title: z.string(),
  state: z.string(),
  timeZone: z.string(),
  schedulePaused: z.boolean(),
  versionVerified: z.boolean(),
  currentVersion: z.object({ version: z.number() }).nullable(),
  nextOccurrences: z.array(z.object({ at: z.string() })),
  waiting: Runs,
  over: Runs,
})
type Event = z.infer<typeof Event>
const EVENT = `{
  id slug title state timeZone schedulePaused versionVerified currentVersion { version } nextOccurrences(first: 8) { at }
  waiting: runs(filter: { status: [SCHEDULED], rehearsal: false, scheduledFrom: $since }, last: 20) {
    edges { node { occurrenceAt scheduledFor scope source } }
  }
  over: runs(
    filter: { status: [STARTING, RUNNING, PAUSED, ENDING, COMPLETED, CANCELLED, FAILED, MISSED], rehearsal: false }
    first: 8
  ) {
    edges { node { occurrenceAt scheduledFor scope source } }
  }
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
      document: `query ($first: Int, $filter: DefinitionFilter, $since: DateTime!) {
        definitions(first: $first, filter: $filter) { edges { node ${EVENT} } pageInfo { hasNextPage } }
      }`,
      variables: {
        first,
        since: new Date(Date.now() - LONGEST_GRACE_MS).toISOString(),
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

/** An event as scripts see it: what its schedule plans next, and not what tells whether that starts then. */
function asShown({ waiting, over, nextOccurrences, ...event }: Event) {
  return { ...event, nextOccurrences: nextOccurrences.slice(0, 1) }
}

function nextOf(event: Event, viewerZone: string): string {
  const { schedulePaused, versionVerified, nextOccurrences: planned, waiting, over, timeZone } = event
  const [next] = nextStarts({ isPaused: schedulePaused, planned, waiting, over })
  if (next === undefined) return schedulePaused ? 'schedule paused' : ''
  return `${showInstant(next.at, { viewerZone, eventZone: timeZone })}${versionVerified ? '' : ' held: not verified'}`
}
