import type { Clock } from '../../domain/clock.ts'
import { isTerminal } from '../../domain/run.ts'
import type { Run as RunRow } from '../../generated/prisma/client.ts'
import type { Changes } from '../../store/changes.ts'
import type { Database } from '../../store/database.ts'
import { runsAgainst } from '../../store/followed-runs.ts'
import { runRelations } from '../../store/node-reads.ts'
import type { RunFilter } from '../../store/run-reads.ts'
import { needs } from '../access.ts'
import { builder } from '../builder.ts'
import { Run } from '../run.ts'
import { RunFilterInput, storedFilter } from '../runs.ts'
import { BoardSource, type Found, type OpenBoard, type Place, type Wanted, type Watch } from './board.ts'
import { follow, POLL_MS, REST_MS } from './follow.ts'
import { type RunEvent, RunFeed } from './run-feed.ts'

type Sources = { db: Database; changes: Changes; clock: Pick<Clock, 'now'> }
type Options = { filter: RunFilter; onOutage: (error: unknown) => void; pollMs?: number; restMs?: number }

/**
 * The runs that the filter takes as events: first those that have started and are not terminal, and the SCHEDULED ones
 * where it names that status; then each that has changed, as it is now, however often it did; and once, `matches`
 * false, each that was told of and has left the filter. A run that was deleted is forgotten without an event.
 *
 * A run has changed when its log has new lines that are not mere messages, or another step is being called; one that
 * the reader was not told of, or that is long over, whenever it is heard of.
 *
 * Changes that nobody tells of are found by a sweep: of the runs that come first, of those that have ended since the
 * sweep before, and of those told of. What it cannot find is a change of a run that was SCHEDULED all the time, where
 * the filter does not name that status.
 */
export const runBoard = (sources: Sources, options: Options): BoardSource<RunEvent, null> =>
  new BoardSource({
    returns: true,
    restMs: options.restMs ?? REST_MS,
    onOutage: options.onOutage,
    open: (watch) => openBoard(sources, { ...options, watch }),
    newsOf: ({ run, matches }) => ({
      id: run.id,
      isThere: matches,
      place: matches ? placeOf(run, options.filter) : null,
      kept: null,
    }),
  })

function openBoard(
  { db, changes, clock }: Sources,
  { filter, onOutage, watch, pollMs = POLL_MS, restMs = REST_MS }: Options & { watch: Watch<RunEvent> },
): OpenBoard<RunEvent, null> {
  const feed = new RunFeed({ db, clock, filter, pollMs, restMs, watch })
  let lookAgain = () => {}
  const events = follow({
    look: () => feed.look(),
    onChange: (listener) => {
      lookAgain = listener
      return changes.onRuns((change) => {
        feed.hear(change)
        listener()
      })
    },
    onOutage,
    pollMs,
    restMs,
  })
  return {
    events,
    async read(wanted) {
      const ids = wanted.map(({ id }) => id)
      const found = await runsAgainst(db, ids, filter)
      const shown = wanted.map((run) => asEvent(run, found.get(run.id)))
      // Else those who are told live would be told of an older state behind this one.
      const isNews = (id: string, index: number) => {
        const now = found.get(id)
        return shown[index] === 'LATER' || (now !== undefined && feed.isOlderThan(now.run))
      }
      const news = ids.filter(isNews)
      for (const id of news) feed.readAgain(id)
      if (news.length > 0) lookAgain()
      return shown
    },
  }
}

function asEvent({ as, isForgotten }: Wanted<null>, now: RunEvent | undefined): Found<RunEvent> {
  if (as === 'GONE') return now === undefined ? 'NOTHING' : { event: { run: now.run, matches: false } }
  if (now?.matches) return { event: now }
  if (!isForgotten) return 'LATER'
  return now === undefined || as === 'NEW' ? 'NOTHING' : { event: now }
}

/** As in the lists that a sweep goes through; null where it is in none of those that come first. */
function placeOf({ status, occurrenceAt, graceUntil }: RunRow, filter: RunFilter): Place | null {
  if (status === 'SCHEDULED') return filter.status?.includes(status) ? { rank: 1, at: graceUntil.getTime() } : null
  return isTerminal(status) ? null : { rank: 0, at: -occurrenceAt.getTime() }
}

const RunEventRef = builder.objectRef<RunEvent>('RunEvent').implement({
  description: 'A run that has changed, or that a subscription begins with.',
  fields: (t) => ({
    run: t.prismaField({
      type: Run,
      description: 'The run as it is now.',
      // Its columns are the event's: read again they may be of a run that has gone on, which another event tells of.
      resolve: async (query, { run }, _args, { control }) => ({
        ...(await runRelations(control.db, run.id, query)),
        ...run,
      }),
    }),
    matches: t.exposeBoolean('matches', { description: 'False once, when the run leaves the filter.' }),
  }),
})

builder.subscriptionField('runs', (t) =>
  t.field({
    type: RunEventRef,
    authScopes: needs('VIEWER'),
    description:
      'Every change of a run that matches: status, phase, health, counts; several at a time are one event. First the matching runs that have started and are not terminal (SCHEDULED ones only where the filter asks), one event each. After subscribing again, forget what you had.',
    args: { filter: t.arg({ type: RunFilterInput, description: 'Which; all where omitted.' }) },
    subscribe: (_root, { filter }, { control, onOutage }) =>
      runBoard(control, { filter: storedFilter(filter), onOutage }),
    resolve: (event) => event,
  }),
)
