import { z } from 'zod'
import { typeOfPrefix, uuidOf } from '../domain/ids.ts'
import { askApi } from './api.ts'
import { notFound, notNow, wrongUsage } from './failure.ts'
import { findRun, noRun } from './find-run.ts'
import { printable } from './printable.ts'
import type { Session } from './session.ts'

/** What the help says of a STEP that may be told by its run. */
export const CUE_ARGUMENT = 'id of a step or cue, or its run (as for pause) where that has one open cue'
export const FAILED_ARGUMENT = 'id of a step, or its run (as for pause): the last step that failed or was refused'

const Cues = z.object({
  run: z.object({ cues: z.array(z.object({ id: z.string(), instruction: z.string() })) }).nullable(),
})
const Failed = z.object({ run: z.object({ steps: z.array(z.object({ id: z.string() })) }).nullable() })

/** The id of a step or cue as it is given, or of the one open cue of the run that is given. */
export async function findCue(session: Session, given: string): Promise<string> {
  if (isStep(given)) return given
  const id = await findRun(session, given)
  const { run } = await askApi(session.config, {
    document: 'query ($id: ID!) { run(id: $id) { cues { id instruction } } }',
    variables: { id },
    shape: Cues,
  })
  if (run === null) throw noRun(id)
  const [cue, ...others] = run.cues
  if (cue === undefined) {
    throw notNow(`No cue of ${given} waits for a person; "cuelight logs ${id}" shows what became of them.`)
  }
  if (others.length === 0) return cue.id
  const shown = run.cues.map((it) => `\n  ${it.id}  ${printable(it.instruction)}`).join('')
  throw wrongUsage(`${given} has ${run.cues.length} open cues; give the id of the one you mean:${shown}`)
}

/** The id of a step as it is given, or of the furthest step of a run that failed or was refused. */
export async function findFailedStep(session: Session, given: string): Promise<string> {
  if (isStep(given)) return given
  const id = await findRun(session, given)
  const { run } = await askApi(session.config, {
    document: 'query ($id: ID!) { run(id: $id) { steps(status: [FAILED, REFUSED]) { id } } }',
    variables: { id },
    shape: Failed,
  })
  if (run === null) throw noRun(id)
  const step = run.steps.at(-1)
  if (step !== undefined) return step.id
  throw notNow(`No step of ${given} failed or was refused; "cuelight logs ${id}" shows what happened.`)
}

/** Whether it is the id of a step or cue. Throws a CommandFailure on what only begins like one. */
function isStep(given: string): boolean {
  if (uuidOf(given, 'Step', 'Cue') !== null) return true
  const type = typeOfPrefix(given)
  if (type !== 'Step' && type !== 'Cue') return false
  throw notFound(
    type === 'Cue'
      ? `There is no cue ${given}; "cuelight cues" lists those that wait for a person.`
      : `There is no step ${given}; give its whole id, or its run.`,
  )
}
