import type { Command } from 'commander'
import type { ApplyOptions } from './apply-files.ts'
import { clientCommand } from './session.ts'

const FILES_ARGUMENT =
  'YAML or JSON, with the fields of CreateDefinitionInput; a folder stands for its files, - for standard input; "cuelight schema" is for editors'

export function applyCommand(): Command {
  return clientCommand('apply')
    .description('create or update events from files and publish them (ADMIN)')
    .argument('<files...>', FILES_ARGUMENT)
    .option('--dry-run', 'show what would change, and change nothing')
    .action(async (files: string[], options: ApplyOptions) => {
      // Loaded only here: all of YAML comes with it, which would hold up every other command.
      const { applyFiles } = await import('./apply-files.ts')
      await applyFiles(files, options)
    })
}
