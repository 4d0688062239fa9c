import type { Command } from 'commander'
import { FAILED_ARGUMENT, findFailedStep } from './find-step.ts'
import { type ClientOptions, clientCommand, inSession } from './session.ts'
import { controlStep } from './step-control.ts'

export function retryCommand(): Command {
  return clientCommand('retry')
    .description('make a failed or refused step of a paused run PENDING again; then resume the run (ADMIN)')
    .argument('<step>', FAILED_ARGUMENT)
    .requiredOption('--reason <text>', 'why; kept in the log')
    .action(retry)
}

function retry(given: string, { reason, ...options }: ClientOptions & { reason: string }): Promise<void> {
  return inSession(options, async (session) => {
    const id = await findFailedStep(session, given)
    await controlStep(session, { name: 'retryStep', inputType: 'StepReasonInput', input: { id, reason } })
  })
}
