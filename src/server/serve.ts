import type { ControlContext } from '../controls/context.ts'
import { censorOf } from '../domain/censor.ts'
import { Timetables } from '../domain/timetable.ts'
import { coreModule } from '../modules/core/core.ts'
import { loadModules } from '../modules/load.ts'
import { type ModuleFailure, Registry } from '../modules/registry.ts'
import { RemoteModules } from '../modules/remote.ts'
import { Targets } from '../modules/targets.ts'
import { DatabaseClock } from '../runner/database-clock.ts'
import { Heartbeat } from '../runner/heartbeat.ts'
import { Runner } from '../runner/runner.ts'
import { DEFAULT_RUNNER_SETTINGS } from '../runner/settings.ts'
import { Changes } from '../store/changes.ts'
import { readDatabaseClock } from '../store/clock.ts'
import { type DatabasePatience, openDatabase } from '../store/database.ts'
import { startEmbedded } from '../store/embedded.ts'
import { countScheduled, readGauges } from '../store/gauges.ts'
import { Notifications } from '../store/notifications.ts'
import { ping } from '../store/ping.ts'
import { createFirstAdminToken, revokedAmongOpen } from '../store/tokens.ts'
import { createAuthenticate } from './authenticate.ts'
import { createCalendarEndpoint } from './calendar-endpoint.ts'
import type { ServerConfig } from './config.ts'
import { type Check, type Readiness, readiness } from './health.ts'
import type { Logger } from './logger.ts'
import { createMetricsEndpoint } from './metrics-endpoint.ts'
import { Migrations } from './migrations.ts'
import { OpenCredentials } from './open-credentials.ts'
import { Outage } from './outage.ts'
import { secretsOf } from './secrets.ts'
import type { SignOn } from './sign-on.ts'
import { listenFault } from './startup-fault.ts'
import { openZones } from './zone-data.ts'

/** How long stopping may wait for a database that does not answer: actions in flight have ten seconds of it. */
const DATABASE_STOP_MS = 15_000

export type ServeOptions = {
  /** False: the tables are left alone; the runner starts once they are up to date, and `/readyz` says so until then. */
  migrate: boolean
  log: Logger
  /** Told the admin token when this start made one; nobody can read it again. */
  announceToken(token: string): void
  /** How long the database may take, for tests that have less time. */
  patience?: DatabasePatience
}

export type RunningServer = {
  url: string
  /**
   * Stops claiming, lets actions in flight finish for up to 10 s, lets go of claims, closes sockets with 1001 and stops
   * the embedded PostgreSQL. Idempotent.
   */
  stop(): Promise<void>
}

/**
 * Starts everything: the database, its tables, the modules, the runner and the API. Throws an Error whose message is a
 * sentence for who started it, with all that was started stopped again.
 */
export async function serve(config: ServerConfig, options: ServeOptions): Promise<RunningServer> {
  const cleanups: (() => Promise<void>)[] = []
  // What was started last goes first; one that fails keeps none of the others from being stopped.
  const cleanUp = async (): Promise<void> => {
    for (const cleanup of cleanups.splice(0).reverse()) {
      await cleanup().catch((error: unknown) =>
        options.log.error({ err: error }, 'a part of the server did not stop in order'),
      )
    }
  }
  try {
    return await start(config, options, { cleanups, cleanUp })
  } catch (error) {
    await cleanUp()
    throw error
  }
}

type Cleanups = { cleanups: (() => Promise<void>)[]; cleanUp: () => Promise<void> }

async function start(
  config: ServerConfig,
  { migrate, log: ownLog, announceToken, patience }: ServeOptions,
  { cleanups, cleanUp }: Cleanups,
): Promise<RunningServer> {
  if (config.traces !== null) {
    // Many modules, for those who want them.
    const { startTraceExport } = await import('./trace-export.ts')
    const traces = await startTraceExport(config.traces, ownLog)
    cleanups.push(() => traces.stop())
  }
  const starting = config.databaseUrl === null ? startEmbedded({ dataDir: config.dataDir, log: ownLog }) : null
  // Should loading fail, it is there to be stopped all the same.
  if (starting !== null)
    cleanups.push(() =>
      starting.then(
        (embedded) => embedded.stop(),
        () => {},
      ),
    )
  // Most of what a start loads, loaded while PostgreSQL starts.
  const [embedded, { createApi }, { createHttpServer }, { Metrics }] = await Promise.all([
    starting,
    import('./api.ts'),
    import('./http.ts'),
    import('./metrics.ts'),
  ])
  const databaseUrl = config.databaseUrl ?? embedded?.url ?? ''
  // Nothing is asked of the tables before they are up to date; connecting takes as long as looking whether they are.
  const opening = openDatabase({ url: databaseUrl, ...(patience === undefined ? {} : { patience }) })
  cleanups.push(() =>
    opening.then(
      (opened) => opened.close(),
      () => {},
    ),
  )
  const [migrations, db] = await Promise.all([Migrations.open(databaseUrl, { apply: migrate, log: ownLog }), opening])
  const outage = new Outage({ log: ownLog, ping: () => ping(db) })
  cleanups.push(() => outage.stop())
  const { log } = outage

  const { zones, source } = openZones(config.zoneFolder, log)
  log.info({ zoneData: source }, `schedules are computed with zone data ${source}`)
  const clock = new DatabaseClock({ ask: () => readDatabaseClock(db), log })
  cleanups.push(() => clock.stop())
  const changes = new Changes()
  const notifications = new Notifications({ url: databaseUrl, changes, log: outage.pair() })
  cleanups.push(() => notifications.stop())
  await Promise.all([clock.start(), notifications.start()])
  const censor = censorOf(secretsOf(config))
  const registry = new Registry({ censor })
  registry.register(coreModule(new Targets(config.targets)), { core: true })
  await loadModules({
    specifiers: config.modules,
    registry,
    cwd: process.cwd(),
    log: (level, message) => log[level](message),
  })
  const remote = new RemoteModules({
    modules: config.remoteModules,
    registry,
    clock,
    log: (level, message) => log[level](message),
  })
  cleanups.push(() => remote.stop())
  await remote.start()

  const metrics = new Metrics()
  const runner = new Runner({
    db,
    changes,
    clock,
    registry,
    zones,
    settings: { ...DEFAULT_RUNNER_SETTINGS, ...config.runner },
    log,
    censor,
    meter: metrics.meter,
  })
  const stopping = new AbortController()
  let stopped: Promise<void> | null = null
  const checks: Check[] = [
    { name: 'server', run: () => (stopping.signal.aborted ? 'server: it is stopping.' : null) },
    { name: 'database', run: () => ping(db).then(() => null, databaseAway) },
    { name: 'migrations', run: () => migrations.missing() },
    { name: 'runner', run: () => (migrations.missing() === null ? runner.trouble() : null), needs: 'database' },
  ]
  let checking: Promise<Readiness> | null = null
  const now = () => clock.now()
  const signOn = await openSignOn(config, { now, log })
  if (signOn !== null) cleanups.push(() => signOn.stop())
  const credentials = new OpenCredentials({
    changes,
    revokedAmong: (ids) => revokedAmongOpen(db.prisma, { ids, now: new Date(now()) }),
    now,
    log,
  })
  cleanups.push(async () => credentials.stop())
  const authenticate = createAuthenticate({
    db,
    adminToken: config.adminToken,
    checkJwt: signOn?.check ?? null,
    now,
    log,
  })
  const control: ControlContext = {
    db,
    changes,
    clock,
    censor,
    catalog: registry,
    zones,
    timetables: new Timetables(zones),
    horizonDays: config.runner.horizonDays,
  }
  const http = createHttpServer({
    api: createApi({ control, registry, publicUrl: config.publicUrl, log }),
    authenticate,
    credentials,
    readiness: () => {
      // Anyone may ask, as often as they like.
      checking ??= readiness(checks, { warnings: registry.failures().map(failureSentence) }).finally(() => {
        checking = null
      })
      return checking
    },
    metrics: createMetricsEndpoint({
      authenticate,
      now,
      page: () =>
        metrics.page({
          depths: () => runner.depths,
          sockets: () => http.stats(),
          gauges: () => readGauges(db.hot, now()),
          scheduled: () => countScheduled(db.hot),
          now,
        }),
    }),
    calendar: createCalendarEndpoint({ control, publicUrl: config.publicUrl, log }),
    zoneData: source,
    allowedOrigins: config.allowedOrigins,
    log,
  })
  cleanups.push(() => http.close())
  const url = await http.listen(config).catch((error: unknown) => {
    throw listenFault(error, config)
  })

  const heartbeat = new Heartbeat({ db, clock, log, runner })
  cleanups.push(() => heartbeat.stop())
  cleanups.push(() => runner.stop())
  const startWork = async (): Promise<void> => {
    runner.start()
    heartbeat.start()
    const token = config.adminToken === null ? await createFirstAdminToken(db, { now: new Date(clock.now()) }) : null
    if (token !== null) announceToken(token)
  }
  if (migrations.missing() === null) await startWork()
  else {
    log.warn(`the runner does not work yet: ${migrations.missing()}`)
    const waiting = migrations
      .applied(stopping.signal)
      .then((applied) => (applied ? startWork() : undefined))
      .catch((error: unknown) => log.error({ err: error }, 'the runner could not be started'))
    cleanups.push(() => waiting)
  }
  return {
    url,
    stop() {
      stopping.abort()
      if (stopped === null) {
        const impatience = setTimeout(() => db.abandon(), DATABASE_STOP_MS)
        stopped = cleanUp().finally(() => clearTimeout(impatience))
      }
      return stopped
    },
  }
}

/** What is thrown names hosts and accounts, and anyone may read this; those who work with the database log it. */
const databaseAway = () =>
  'database: it cannot be reached; see that PostgreSQL is up, and the network to it. The server goes on by itself then, and its log says more.'

/** Loaded where there is an identity provider. */
async function openSignOn(
  { signOn }: ServerConfig,
  { now, log }: { now: () => number; log: Logger },
): Promise<SignOn | null> {
  if (signOn === null) return null
  const { SignOn } = await import('./sign-on.ts')
  return new SignOn(signOn, { now, log })
}

/** Without the problems: what a module throws may hold anything, and anyone may read this. The log has them. */
function failureSentence({ source }: ModuleFailure): string {
  return `modules: ${source} did not load, and its actions are missing; the server's log says why.`
}
