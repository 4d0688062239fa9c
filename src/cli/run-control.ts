import { z } from 'zod'
import { mutate } from './api.ts'
import { findRun } from './find-run.ts'
import { RUN_ROW, RunRow, sayRun } from './run-row.ts'
import { type ClientOptions, inSession } from './session.ts'

export type RunControlOptions = ClientOptions & { reason?: string }

/** What a command does that controls a run by its id and a reason: finds the run, does the mutation, says how it is. */
export function controlRun(
  mutation: 'pauseRun' | 'resumeRun' | 'cancelRun',
): (run: string, options: RunControlOptions) => Promise<void> {
  return (given, { reason, ...options }) =>
    inSession(options, async (session) => {
      const { run } = await mutate(session.config, {
        name: mutation,
        inputType: 'RunReasonInput',
        input: { id: await findRun(session, given), ...(reason === undefined ? {} : { reason }) },
        payload: `{ run ${RUN_ROW} }`,
        shape: z.object({ run: RunRow }),
      })
      session.answer(run, () => sayRun(run))
    })
}
