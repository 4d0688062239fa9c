import type { Command } from 'commander'
import { RUN_ARGUMENT } from './find-run.ts'
import { controlRun } from './run-control.ts'
import { clientCommand } from './session.ts'

export function pauseCommand(): Command {
  return clientCommand('pause')
    .description('stop a run before its next step (MODERATOR)')
    .argument('<run>', RUN_ARGUMENT)
    .option('--reason <text>', 'why; kept in the log')
    .action(controlRun('pauseRun'))
}
