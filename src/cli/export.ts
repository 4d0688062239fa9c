import type { Command } from 'commander'
import type { ExportOptions } from './export-files.ts'
import { clientCommand } from './session.ts'

export function exportCommand(): Command {
  return clientCommand('export')
    .description(
      'events as files that apply takes: their drafts, which are what is published last unless somebody works on them',
    )
    .argument('[slugs...]', 'which, by slug or id; omitted: all that are not archived')
    .option('--dir <folder>', 'into SLUG.yaml there, or over SLUG.yml or SLUG.json, whose comments stay where they can')
    .action(async (slugs: string[], options: ExportOptions) => {
      // Loaded only here: all of YAML comes with it, which would hold up every other command.
      const { exportFiles } = await import('./export-files.ts')
      await exportFiles(slugs, options)
    })
}
