import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { advanceCommand } from './advance.ts'
import { applyCommand } from './apply.ts'
import { archiveCommand } from './archive.ts'
import { cancelCommand } from './cancel.ts'
import { completionCommand } from './completion.ts'
import { confirmCommand } from './confirm.ts'
import { cuesCommand } from './cues.ts'
import { emitCommand } from './emit.ts'
import { eventsCommand } from './events.ts'
import { exportCommand } from './export.ts'
import { logsCommand } from './logs.ts'
import { migrateCommand } from './migrate.ts'
import { pauseCommand } from './pause.ts'
import { resumeCommand } from './resume.ts'
import { retryCommand } from './retry.ts'
import { runsCommand } from './runs.ts'
import { schemaCommand } from './schema.ts'
import { serveCommand } from './serve.ts'
import { skipCommand } from './skip.ts'
import { startCommand } from './start.ts'
import { tokenCommand } from './token.ts'
import { watchCommand } from './watch.ts'

/** The command line. Nothing of it ends the process by itself: a wrong command line is thrown as a CommanderError. */
export function createProgram(): Command {
  const program = new Command('cuelight')
    .description('Runs live events: rundowns where software does most steps on the second and a person does the rest.')
    .version(packageVersion())
    .showHelpAfterError('Run "cuelight --help" to see the commands.')
    .exitOverride()
  for (const command of [...COMMANDS.map((create) => create()), completionCommand(program)]) {
    program.addCommand(command.copyInheritedSettings(program))
    for (const part of command.commands) part.copyInheritedSettings(program)
  }
  return program
}

/** In the order of the help. */
const COMMANDS = [
  serveCommand,
  migrateCommand,
  tokenCommand,
  applyCommand,
  exportCommand,
  archiveCommand,
  schemaCommand,
  eventsCommand,
  startCommand,
  runsCommand,
  logsCommand,
  pauseCommand,
  resumeCommand,
  cancelCommand,
  advanceCommand,
  cuesCommand,
  confirmCommand,
  skipCommand,
  retryCommand,
  emitCommand,
  watchCommand,
]

function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const version = typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : null
  return String(version)
}
