import { type Command, InvalidArgumentError, Option } from 'commander'
import { z } from 'zod'
import { RUN_STATUSES } from '../domain/run.ts'
import { askApi } from './api.ts'
import { countFrom } from './count.ts'
import { findEvent } from './find-event.ts'
import { UNDER_WAY } from './find-run.ts'
import { instantOption, showInstant } from './instant.ts'
import { styleOfStatus } from './paint.ts'
import { printable } from './printable.ts'
import { RUN_ROW, RunRow } from './run-row.ts'
import { type ClientOptions, clientCommand, inSession, type Session } from './session.ts'
import { table } from './table.ts'

/** As many as the API answers in one page. */
const MOST = 500

type RunsOptions = ClientOptions & {
  all?: boolean
  status?: string[]
  event?: string
  scope?: string
  waiting?: boolean
  rehearsal?: boolean
  from?: string
  to?: string
  first: number
}

const Runs = z.object({
  runs: z.object({
    edges: z.array(z.object({ node: RunRow })),
    pageInfo: z.object({ hasNextPage: z.boolean() }),
  }),
})

export function runsCommand(): Command {
  return clientCommand('runs')
    .description('runs, newest occurrence first; where nothing else is said, those under way')
    .option('-a, --all', 'those to come and those that ended, too')
    .addOption(statusOption())
    .option('--event <event>', 'of this event, by its slug or id')
    .option('--scope <scope>', "in this scope, '' for those without one")
    .option('--waiting', 'with a cue that waits for a person')
    .option('--rehearsal', 'rehearsals only')
    .option('--from <instant>', 'that start at or after this instant, like 2027-01-01T00:00:00Z', instantOption)
    .option('--to <instant>', 'that start before this instant', instantOption)
    .option('-n, --first <count>', `at most so many, up to ${MOST}`, countFrom(1, MOST), 50)
    .action(listRuns)
}

function statusOption(): Option {
  const option = new Option('--status <status...>', 'in one of these, one behind the other: --status RUNNING PAUSED')
  // The check of `choices`, for a list that many write with commas; the names stay what shells complete.
  return option
    .choices(RUN_STATUSES)
    .argParser((given: string, before: string[] | undefined) => {
      if (given.includes(','))
        throw new InvalidArgumentError(`Write them apart: --status ${given.split(/[ ,]+/).filter(Boolean).join(' ')}.`)
      if (!(RUN_STATUSES as readonly string[]).includes(given))
        throw new InvalidArgumentError(`Allowed choices are ${RUN_STATUSES.join(', ')}.`)
      return [...(before ?? []), given]
    })
    .conflicts('all')
}

function listRuns({ all, first, status, event, scope, waiting, rehearsal, from, to, ...options }: RunsOptions) {
  return inSession(options, async (session) => {
    const { runs } = await askApi(session.config, {
      document: `query ($first: Int, $filter: RunFilter) {
        runs(first: $first, filter: $filter) { edges { node ${RUN_ROW} } pageInfo { hasNextPage } }
      }`,
      variables: {
        first,
        filter: {
          ...(all === true ? {} : { status: status ?? UNDER_WAY }),
          ...(event === undefined ? {} : { definitionId: await findEvent(session, event) }),
          ...(scope === undefined ? {} : { scope }),
          ...(waiting === undefined ? {} : { waiting }),
          ...(rehearsal === undefined ? {} : { rehearsal }),
          ...(from === undefined ? {} : { scheduledFrom: from }),
          ...(to === undefined ? {} : { scheduledTo: to }),
        },
      },
      shape: Runs,
    })
    const rows = runs.edges.map(({ node }) => node)
    const others = all === true ? '' : ' "cuelight runs --all" shows those to come and those that ended.'
    session.answer(rows, () => (rows.length === 0 ? `There are no such runs.${others}` : tableOf(session, rows)))
    if (runs.pageInfo.hasNextPage) {
      session.remark(`There are more; --first shows up to ${MOST}, --from and --to a part of the calendar.`)
    }
  })
}

function tableOf({ paint, viewerZone }: Session, runs: RunRow[]): string {
  const painted = (status: string) => ({
    text: status,
    paint: (text: string) => paint(styleOfStatus(status), text),
  })
  return table(
    ['RUN', 'STATUS', 'HEALTH', 'START', 'SCOPE', 'EVENT', 'WAITS FOR'],
    runs.map((run) => [
      run.id,
      painted(run.status),
      painted(run.health),
      showInstant(run.startedAt ?? run.scheduledFor, { viewerZone, eventZone: run.timeZone }),
      printable(run.scope),
      `${run.definition.slug}${run.rehearsal ? ' (rehearsal)' : ''}`,
      printable(run.waitingOn?.description ?? run.endedBecause ?? ''),
    ]),
  )
}
