import { Command } from 'commander'
import { outliveReader } from './reader.ts'

const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const

export function serveCommand(): Command {
  return new Command('serve')
    .description('run the server: API, subscriptions and runner')
    .option('--no-migrate', 'do not touch the tables of the database; the server works once they are up to date')
    .addHelpText('after', '\nSettings come from the environment, like PORT and DATABASE_URL; see the documentation.')
    .action(async (options: { migrate: boolean }) => {
      outliveReader()
      // Loaded only here, as the server is below: other commands and --help answer at once.
      const { readSettings } = await import('./settings.ts')
      const { config, log } = readSettings()
      let serving = false
      // Most likely thrown by a module in a timer or an event of its own: it breaks nothing of ours, and must not end
      // everybody's runs. So is a promise that was left alone.
      process.on('uncaughtException', (error) => {
        if (serving)
          return log.error({ err: error }, 'an error was thrown that nobody caught; look for it in the modules')
        log.fatal({ err: error }, 'the process ends on an error that nobody expected')
        process.exit(1)
      })
      process.on('unhandledRejection', (error) => {
        log.error({ err: error }, 'a promise was rejected that nobody awaited; look for it in the modules')
      })

      const { serve } = await import('../server/serve.ts')
      const starting = serve(config, { migrate: options.migrate, log, announceToken })
      let stopping = false
      for (const signal of ['SIGINT', 'SIGTERM'] as const) {
        process.on(signal, () => {
          if (stopping) process.exit(SIGNALS[signal])
          stopping = true
          log.info({ signal }, 'stopping; a second signal ends it at once')
          // A failed start is reported below.
          starting
            .then((server) => server.stop())
            .then(
              () => process.exit(0),
              (error) => {
                log.error({ err: error }, 'it did not stop in order')
                process.exit(1)
              },
            )
        })
      }
      const { url } = await starting
      serving = true
      log.info({ url }, `Cuelight is at ${url}`)
    })
}

/** Not through the log, which is kept and shipped elsewhere. */
function announceToken(token: string): void {
  process.stderr.write(
    `\nAdmin token: ${token}\nIt is shown only this once. Should it be lost, set CUELIGHT_ADMIN_TOKEN and start again.\n\n`,
  )
}
