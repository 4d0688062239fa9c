import type { Command } from 'commander'
import { z } from 'zod'
import { askApi, mutate } from './api.ts'
import { notNow } from './failure.ts'
import { findRun, noRun, RUN_ARGUMENT } from './find-run.ts'
import { RUN_ROW, RunRow, sayRun } from './run-row.ts'
import { type ClientOptions, clientCommand, inSession, type Session } from './session.ts'

type AdvanceOptions = ClientOptions & { reason: string; phase?: string }

export function advanceCommand(): Command {
  return clientCommand('advance')
    .description("force the gate of a run's phase open; open steps still have to finish (ADMIN)")
    .argument('<run>', RUN_ARGUMENT)
    .requiredOption('--reason <text>', 'why; kept in the log')
    .option(
      '--phase <key>',
      'the phase that you mean: refused if the run is in another by now; omitted: the current one',
    )
    .action(advance)
}

function advance(given: string, { reason, phase, ...options }: AdvanceOptions): Promise<void> {
  return inSession(options, async (session) => {
    const id = await findRun(session, given)
    const { run } = await mutate(session.config, {
      name: 'advancePhase',
      input: { id, phase: phase ?? (await currentPhase(session, id)), reason },
      payload: `{ run ${RUN_ROW} }`,
      shape: z.object({ run: RunRow }),
    })
    session.answer(run, () => sayRun(run))
  })
}

async function currentPhase({ config }: Session, id: string): Promise<string> {
  const { run } = await askApi(config, {
    document: 'query ($id: ID!) { run(id: $id) { status currentPhase } }',
    variables: { id },
    shape: z.object({ run: z.object({ status: z.string(), currentPhase: z.string().nullable() }).nullable() }),
  })
  if (run === null) throw noRun(id)
  if (run.currentPhase !== null) return run.currentPhase
  throw notNow(`The run is ${run.status} and in no phase yet; advance it once it is RUNNING.`)
}
