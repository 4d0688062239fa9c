import { z } from 'zod'
import { mutate } from './api.ts'
import { printable } from './printable.ts'
import type { Session } from './session.ts'

const Done = z.object({
  step: z.object({
    id: z.string(),
    phase: z.string(),
    seq: z.number(),
    label: z.string().nullable(),
    actionId: z.string(),
    status: z.string(),
    attempts: z.number(),
    note: z.string().nullable(),
    lastError: z.string().nullable(),
    run: z.object({ id: z.string(), status: z.string() }),
  }),
})

/** Does a mutation whose payload is a step, and says how the step and its run are now. */
export async function controlStep(
  session: Session,
  mutation: { name: string; inputType?: string; input: Record<string, unknown> },
): Promise<void> {
  const { step } = await mutate(session.config, {
    ...mutation,
    payload: '{ step { id phase seq label actionId status attempts note lastError run { id status } } }',
    shape: Done,
  })
  const { label, actionId, status, phase, run } = step
  session.answer(step, () =>
    printable(`"${label ?? actionId}" of phase ${phase} is ${status}; its run (${run.id}) is ${run.status}.`),
  )
  if (step.status === 'PENDING') session.remark(`"cuelight resume ${run.id}" lets the run go on with it.`)
}
