import { isDeepStrictEqual } from 'node:util'
import type { Command } from 'commander'
import { CommandFailure, EXIT } from './failure.ts'
import { findRun, RUN_ARGUMENT } from './find-run.ts'
import { untilInterrupted } from './interrupted.ts'
import { runFrame } from './run-frame.ts'
import { type RunView, readLastLines, readRunView } from './run-view.ts'
import { enterScreen } from './screen.ts'
import { type ClientOptions, clientCommand, inSession, type Session } from './session.ts'

/** Lines of the log that are kept to be shown; more fit on no screen. */
const LOG_LINES = 200
/** Off a terminal each frame is printed below the last, with so many lines of the log. */
const PRINTED_LINES = 10
/** What counts down moves on. */
const TICK_MS = 1_000

export function watchCommand(): Command {
  return clientCommand('watch')
    .description('how a run is, live in a terminal, until it has ended: 0 if it is COMPLETED, 5 otherwise')
    .argument('<run>', RUN_ARGUMENT)
    .addHelpText(
      'after',
      '\nElsewhere than in a terminal it prints each state below the last; with --json a line each.',
    )
    .action(watch)
}

function watch(given: string, options: ClientOptions): Promise<void> {
  return inSession(options, async (session) => {
    const runId = await findRun(session, given)
    // In this order: what changes from here on comes with a line behind these.
    const log = await readLastLines(session, runId, LOG_LINES)
    const first = await readRunView(session, runId)
    await untilInterrupted(session, async (signal) => {
      // Loaded only here: all of GraphQL's own library comes with it.
      const { followLog } = await import('./follow-log.ts')
      const shown = show(session, first)
      try {
        shown.update({ log })
        const following = {
          runId,
          after: log.at(-1)?.line ?? 0,
          signal,
          onLost: (why: string) => shown.remark(`The connection is gone (${why}); trying to go on …`),
          onBack: () => shown.remark(null),
        }
        for await (const event of followLog(session.config, following)) {
          if (event.kind === 'lines') log.splice(0, Math.max(log.push(...event.lines) - LOG_LINES, 0))
          const run = await readRunView(session, runId, shown.run().currentPhase).catch(unlessAway)
          shown.update({ log, ...(run === undefined ? {} : { run }) })
          if (event.kind === 'ended') {
            session.endWith(event.status === 'COMPLETED' ? EXIT.DONE : EXIT.RUN_NOT_COMPLETED)
          }
        }
      } finally {
        shown.end()
      }
    })
  })
}

/** A server that is away is told by the connection that is lost. */
function unlessAway(error: unknown): undefined {
  if (!(error instanceof CommandFailure) || error.exit !== EXIT.UNEXPECTED) throw error
}

type State = { run: RunView; log: Awaited<ReturnType<typeof readLastLines>>; remark: string | null }

/** Shows states of a run where the output goes: in place on a terminal, else one after the other. */
function show(session: Session, run: RunView) {
  const { json, paint, viewerZone } = session
  let state: State = { run, log: [], remark: null }
  const frame = (more: { log: State['log']; room?: { columns: number; rows: number } }) =>
    runFrame({ ...state, now: Date.now(), viewerZone, paint, ...more })
  let printed: unknown
  const print = () => {
    const { run, log } = state
    const last = log.slice(-PRINTED_LINES)
    // What is told again, as the end is, says nothing new.
    const said = json ? run : { run, lines: last.map(({ line }) => line) }
    if (isDeepStrictEqual(said, printed)) return
    printed = said
    session.answer(run, () => `${frame({ log: last }).join('\n')}\n`)
  }
  const terminal = process.stdout
  const screen = terminal.isTTY && !json ? enterScreen(terminal) : null
  const draw = () => screen?.draw(frame({ log: state.log, room: { columns: terminal.columns, rows: terminal.rows } }))
  const ticking = screen === null ? undefined : setInterval(draw, TICK_MS)
  terminal.on('resize', draw)
  // However the process ends, the terminal has to be as it was.
  process.once('exit', leave)
  function leave() {
    screen?.leave()
  }
  return {
    run: () => state.run,
    update(change: Partial<State>) {
      state = { ...state, ...change }
      if (screen === null) print()
      else draw()
    },
    /** Something about the connection; null: it is back. */
    remark(remark: string | null) {
      if (screen === null) session.remark(remark ?? 'The connection is back.')
      state = { ...state, remark: screen === null ? null : remark }
      draw()
    },
    /** The last state stays to be read. */
    end() {
      clearInterval(ticking)
      terminal.off('resize', draw)
      process.off('exit', leave)
      leave()
      if (screen !== null) print()
    },
  }
}
