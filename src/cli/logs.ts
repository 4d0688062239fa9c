import { type Command, Option } from 'commander'
import { z } from 'zod'
import { askApi } from './api.ts'
import { countFrom } from './count.ts'
import { EXIT } from './failure.ts'
import { findRun, noRun, RUN_ARGUMENT } from './find-run.ts'
import { untilInterrupted } from './interrupted.ts'
import { LOG_LINE, LogLine, showLogLine } from './log-line.ts'
import { type ClientOptions, clientCommand, inSession, type Session } from './session.ts'

/** As many lines as the API answers in one page. */
const PAGE = 500

type LogsOptions = ClientOptions & { follow?: boolean; after?: number; last?: number }

export function logsCommand(): Command {
  return clientCommand('logs')
    .description(
      'what happened in a run, line by line; with -f it ends with the run: 0 if that is COMPLETED, 5 otherwise',
    )
    .argument('<run>', RUN_ARGUMENT)
    .option('-f, --follow', 'go on with each line as it is written, over lost connections, until the run has ended')
    .option('--after <line>', 'only lines with a higher number', countFrom(0))
    .addOption(
      new Option('-n, --last <count>', `begin with the last lines, up to ${PAGE}`)
        .argParser(countFrom(1, PAGE))
        .conflicts('after'),
    )
    .action(showLog)
}

function showLog(given: string, { follow, after = 0, last, ...options }: LogsOptions): Promise<void> {
  return inSession(options, async (session) => {
    const runId = await findRun(session, given)
    const { timeZone, lines } = await pageOf(session, { runId, last: last ?? 1, after: null })
    const print = (line: LogLine) => session.answer(line, () => showLogLine(line, { ...session, eventZone: timeZone }))
    const begin = last === undefined ? after : (lines[0]?.line ?? 1) - 1
    if (follow === true) await printLive(session, { runId, after: begin, print })
    else if (last === undefined) await printStored(session, { runId, after, print })
    else lines.forEach(print)
  })
}

type Printing = { runId: string; after: number; print(line: LogLine): void }

async function printStored(session: Session, { runId, after, print }: Printing): Promise<void> {
  for (let cursor: string | null = null, more = true; more; ) {
    const page = await pageOf(session, { runId, last: null, after: cursor })
    for (const line of page.lines) if (line.line > after) print(line)
    cursor = page.endCursor
    more = page.hasNextPage
  }
}

function printLive(session: Session, { runId, after, print }: Printing): Promise<void> {
  return untilInterrupted(session, async (signal) => {
    // Loaded only here: all of GraphQL's own library comes with it.
    const { followLog } = await import('./follow-log.ts')
    const following = {
      runId,
      after,
      signal,
      onLost: (why: string, line: number) =>
        session.remark(`The connection is gone (${why}); trying to go on behind line ${line} …`),
      onBack: () => session.remark('The connection is back.'),
    }
    for await (const event of followLog(session.config, following)) {
      if (event.kind === 'lines') event.lines.forEach(print)
      if (event.kind === 'ended') {
        session.remark(`The run is ${event.status}.`)
        session.endWith(event.status === 'COMPLETED' ? EXIT.DONE : EXIT.RUN_NOT_COMPLETED)
      }
    }
  })
}

const Page = z.object({
  run: z
    .object({
      timeZone: z.string(),
      log: z.object({
        edges: z.array(z.object({ node: LogLine })),
        pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() }),
      }),
    })
    .nullable(),
})

async function pageOf(
  { config }: Session,
  { runId, last, after }: { runId: string; last: number | null; after: string | null },
) {
  const { run } = await askApi(config, {
    document: `query ($id: ID!, $first: Int, $last: Int, $after: String) { run(id: $id) { timeZone
      log(first: $first, last: $last, after: $after) { edges { node ${LOG_LINE} } pageInfo { hasNextPage endCursor } }
    } }`,
    variables: { id: runId, first: last === null ? PAGE : null, last, after },
    shape: Page,
  })
  if (run === null) throw noRun(runId)
  return { timeZone: run.timeZone, lines: run.log.edges.map(({ node }) => node), ...run.log.pageInfo }
}
