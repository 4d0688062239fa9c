import type { Command } from 'commander'
import { CUE_ARGUMENT, findCue } from './find-step.ts'
import { type ClientOptions, clientCommand, inSession } from './session.ts'
import { controlStep } from './step-control.ts'

export function skipCommand(): Command {
  return clientCommand('skip')
    .description('go on without a step that is PENDING, or a cue that waits (MODERATOR)')
    .argument('<step>', CUE_ARGUMENT)
    .requiredOption('--reason <text>', 'why; kept in the log')
    .action(skip)
}

function skip(given: string, { reason, ...options }: ClientOptions & { reason: string }): Promise<void> {
  return inSession(options, async (session) => {
    const id = await findCue(session, given)
    await controlStep(session, { name: 'skipStep', inputType: 'StepReasonInput', input: { id, reason } })
  })
}
