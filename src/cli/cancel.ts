import type { Command } from 'commander'
import { RUN_ARGUMENT } from './find-run.ts'
import { controlRun } from './run-control.ts'
import { clientCommand } from './session.ts'

export function cancelCommand(): Command {
  return clientCommand('cancel')
    .description('end a run that has not ended; a step in flight is left to finish (ADMIN)')
    .argument('<run>', RUN_ARGUMENT)
    .option('--reason <text>', 'why; kept in the log')
    .action(controlRun('cancelRun'))
}
