import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { migrateCommand } from './migrate.ts'
import { serveCommand } from './serve.ts'
import { tokenCommand } from './token.ts'

/** The command line. Nothing of it ends the process by itself: a wrong command line is thrown as a CommanderError. */
export function createProgram(): Command {
  const program = new Command('cuelight')
    .description('Runs live events: rundowns where software does most steps on the second and a person does the rest.')
    .version(packageVersion())
    .showHelpAfterError('Run "cuelight --help" to see the commands.')
    .exitOverride()
  for (const command of [serveCommand(), migrateCommand(), tokenCommand()]) {
    program.addCommand(command.copyInheritedSettings(program))
    for (const part of command.commands) part.copyInheritedSettings(program)
  }
  return program
}

function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const version = typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : null
  return String(version)
}
