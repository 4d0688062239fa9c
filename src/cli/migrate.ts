import { Command } from 'commander'
import { outliveReader } from './reader.ts'

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('bring the tables of the database up to this version, and exit')
    .action(async () => {
      outliveReader()
      // Loaded only here: other commands and --help answer at once.
      const [{ readSettings }, { startEmbedded }, { migrate }] = await Promise.all([
        import('./settings.ts'),
        import('../store/embedded.ts'),
        import('../store/migrate.ts'),
      ])
      const { config, log } = readSettings()
      const embedded = config.databaseUrl === null ? await startEmbedded({ dataDir: config.dataDir, log }) : undefined
      try {
        const applied = await migrate(config.databaseUrl ?? embedded?.url ?? '', { log })
        log.info({ applied }, applied.length === 0 ? 'the tables are up to date' : 'the tables were brought up to date')
      } finally {
        await embedded?.stop()
      }
    })
}
