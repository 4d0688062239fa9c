import { z } from 'zod'
import { askApi } from './api.ts'
import { noRun } from './find-run.ts'
import { LOG_LINE, LogLine } from './log-line.ts'
import { RUN_ROW, RunRow } from './run-row.ts'
import type { Session } from './session.ts'

const Step = z.object({
  id: z.string(),
  phase: z.string(),
  seq: z.number(),
  label: z.string().nullable(),
  actionId: z.string(),
  status: z.string(),
  parked: z.boolean(),
  attempts: z.number(),
  dueAt: z.string().nullable(),
  lastError: z.string().nullable(),
})
const Cue = z.object({
  id: z.string(),
  instruction: z.string(),
  claimedBy: z.object({ name: z.string() }).nullable(),
})
const Gate = z.object({
  phase: z.string(),
  description: z.string(),
  openedAt: z.string().nullable(),
})
const RunView = RunRow.extend({
  version: z.object({
    version: z.number(),
    spec: z.object({ phases: z.array(z.object({ key: z.string(), label: z.string() })) }),
  }),
  steps: z.array(Step),
  gates: z.array(Gate),
  cues: z.array(Cue),
})

/** All that is shown of a run that is watched: `steps` are those of its phase. */
export type RunView = z.infer<typeof RunView>

const SELECTION = `${RUN_ROW.slice(0, -1)}
  version { version spec { phases { key label } } }
  steps(phase: $phase) { id phase seq label actionId status parked attempts dueAt lastError }
  gates { phase description openedAt }
  cues { id instruction claimedBy { name } }
}`

/** How a run is now. `phase` is the one that it was in last, as far as that is known. */
export async function readRunView(session: Session, id: string, phase: string | null = null): Promise<RunView> {
  const { run } = await askApi(session.config, {
    document: `query ($id: ID!, $phase: String) { run(id: $id) ${SELECTION} }`,
    variables: { id, phase },
    shape: z.object({ run: RunView.nullable() }),
  })
  if (run === null) throw noRun(id)
  const { currentPhase } = run
  return currentPhase === null || currentPhase === phase ? run : readRunView(session, id, currentPhase)
}

/** The last lines of a run's log, in order. */
export async function readLastLines(session: Session, id: string, count: number): Promise<LogLine[]> {
  const { run } = await askApi(session.config, {
    document: `query ($id: ID!, $last: Int) { run(id: $id) { log(last: $last) { edges { node ${LOG_LINE} } } } }`,
    variables: { id, last: count },
    shape: z.object({ run: z.object({ log: z.object({ edges: z.array(z.object({ node: LogLine })) }) }).nullable() }),
  })
  return run?.log.edges.map(({ node }) => node) ?? []
}
