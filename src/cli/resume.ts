import type { Command } from 'commander'
import { RUN_ARGUMENT } from './find-run.ts'
import { controlRun } from './run-control.ts'
import { clientCommand } from './session.ts'

export function resumeCommand(): Command {
  return clientCommand('resume')
    .description('let a paused run go on, behind the step that failed where one did (MODERATOR)')
    .argument('<run>', RUN_ARGUMENT)
    .option('--reason <text>', 'why; kept in the log')
    .action(controlRun('resumeRun'))
}
