import type { Command } from 'commander'
import { CUE_ARGUMENT, findCue } from './find-step.ts'
import { type ClientOptions, clientCommand, inSession } from './session.ts'
import { controlStep } from './step-control.ts'

export function confirmCommand(): Command {
  return clientCommand('confirm')
    .description('say that what a cue asks for is done: its run goes on (MODERATOR)')
    .argument('<cue>', CUE_ARGUMENT)
    .option('--note <text>', 'what there is to say about it; kept with the step and in the log')
    .action(confirm)
}

function confirm(given: string, { note, ...options }: ClientOptions & { note?: string }): Promise<void> {
  return inSession(options, async (session) => {
    const id = await findCue(session, given)
    await controlStep(session, { name: 'confirmCue', input: { id, ...(note === undefined ? {} : { note }) } })
  })
}
