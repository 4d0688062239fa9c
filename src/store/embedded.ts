import { spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync, realpathSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { makeFolder } from './make-folder.ts'
import { findBinaries, launchAs, ownerForPostgres } from './postgres-binaries.ts'
import {
  choosePort,
  createCluster,
  disownPidFile,
  ENVIRONMENT,
  isPostmaster,
  type Place,
  readPassword,
  readPostmaster,
  sweepDrafts,
  USER,
} from './postgres-folder.ts'

/** Where to say what is going on; a pino logger is one. */
export type Log = { info(message: string): void; warn(message: string): void; error(message: string): void }

/** A PostgreSQL of our own, running. */
export type EmbeddedPostgres = {
  /** Connection string of the database `cuelight`, password included. */
  url: string
  /** Shuts it down cleanly. Safe to call twice, and when it is gone already. */
  stop(): Promise<void>
}

const DATABASE = 'cuelight'
/** Held in the database `postgres` by the one server that owns the folder, for as long as its connection lives. */
const OWNER_LOCK = 7_106_331
const START_TIMEOUT_MS = 60_000
const STOP_TIMEOUT_MS = 15_000
/** A killed process's connection takes a moment to be noticed. */
const LOCK_PATIENCE_MS = 1_000
const PAUSE_MS = 20

/**
 * Starts the PostgreSQL that comes with Cuelight on a data folder of its own, `<dataDir>/postgres`, and a free port of
 * 127.0.0.1. One that an earlier, killed process left running there is taken over as it is. If it goes away later, it
 * is started again on the same port.
 *
 * Throws when another live server uses the folder, naming that server, and when PostgreSQL does not start, with the
 * end of its log. `durable: false` is for throwaway databases of tests: a crash of the machine may lose them.
 */
export async function startEmbedded(options: {
  dataDir: string
  log: Log
  durable?: boolean
}): Promise<EmbeddedPostgres> {
  const { dataDir, log, durable = true } = options
  const home = join(resolve(dataDir), 'postgres')
  const owner = ownerForPostgres()
  const binaries = await findBinaries()
  try {
    await makeFolder(dirname(home))
    if (!existsSync(home)) await createCluster({ home, owner, binaries, durable })
  } catch (cause) {
    throw unusable(dataDir, cause)
  }
  if (!existsSync(join(home, 'data', 'PG_VERSION'))) {
    throw new Error(
      `The data folder ${dataDir} (CUELIGHT_DATA_DIR) holds a "postgres" that is not Cuelight's: there is no ` +
        'postgres/data/PG_VERSION in it. Name another folder, or move that one away to begin with an empty database.',
    )
  }
  const cluster = new Cluster({ home, owner, binaries, durable, log })
  try {
    await cluster.start()
  } catch (error) {
    // What the system says of a file names that file, and not the setting.
    throw error instanceof Error && 'syscall' in error ? unusable(dataDir, error) : error
  }
  return { url: cluster.url, stop: () => cluster.stop() }
}

function unusable(dataDir: string, cause: unknown): Error {
  const said = cause instanceof Error ? cause.message : String(cause)
  return new Error(
    `The data folder ${dataDir} (CUELIGHT_DATA_DIR) cannot be used: ${said}. Name a folder that can be written.`,
    { cause },
  )
}

class Cluster {
  readonly #place: Place
  readonly #data: string
  readonly #log: Log
  readonly #password: string
  #port = 0
  /** Holds the owner's lock; null while PostgreSQL is away. */
  #lock: pg.Client | null = null
  #recovery: Promise<void> = Promise.resolve()
  #stopped: Promise<void> | null = null

  constructor({ log, ...place }: Place & { log: Log }) {
    this.#place = place
    this.#log = log
    this.#data = realpathSync(join(place.home, 'data'))
    this.#password = readPassword(place.home)
  }

  get url(): string {
    return `postgresql://${USER}:${this.#password}@127.0.0.1:${this.#port}/${DATABASE}`
  }

  async start(): Promise<void> {
    const client = await this.#connectOrSpawn()
    try {
      await takeOwnership(client, dirname(this.#place.home))
      const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE])
      if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`)
    } catch (error) {
      await client.end()
      throw error
    }
    await sweepDrafts(this.#place.home)
    this.#lock = client
    client.once('end', () => {
      this.#lock = null
      if (this.#stopped === null) this.#recovery = this.#recover()
    })
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#shutDown()
    return this.#stopped
  }

  async #shutDown(): Promise<void> {
    await this.#recovery
    // Without the lock the folder may be another server's by now.
    const pid = this.#lock === null ? null : readPostmaster(this.#data).pid
    if (pid === null) return
    const until = Date.now() + STOP_TIMEOUT_MS
    process.kill(pid, 'SIGINT')
    let urged = false
    while (isPostmaster(pid, this.#data)) {
      if (Date.now() > until && urged) {
        throw new Error(`The embedded PostgreSQL (process ${pid}) does not stop. End it with: kill -QUIT ${pid}`)
      }
      if (Date.now() > until - STOP_TIMEOUT_MS / 3 && !urged) {
        // It gives up waiting for its sessions; what was committed is in its log and is recovered by the next start.
        this.#log.warn('The embedded PostgreSQL takes long to stop; stopping it at once.')
        process.kill(pid, 'SIGQUIT')
        urged = true
      }
      await delay(PAUSE_MS)
    }
  }

  async #recover(): Promise<void> {
    this.#log.warn('The embedded PostgreSQL went away; starting it again.')
    while (this.#stopped === null) {
      try {
        await this.start()
        this.#log.info('The embedded PostgreSQL is back.')
        return
      } catch (error) {
        this.#log.error(error instanceof Error ? error.message : String(error))
        await delay(1_000)
      }
    }
  }

  /** A session in the PostgreSQL of this folder, which is started when none runs. */
  async #connectOrSpawn(): Promise<pg.Client> {
    const until = Date.now() + START_TIMEOUT_MS
    let child: Child | null = null
    let attempts = 0
    while (Date.now() < until) {
      const { pid, port } = readPostmaster(this.#data)
      const client = port === null ? null : await this.#connect(port)
      if (client !== null) return client
      const live = pid !== null && isPostmaster(pid, this.#data)
      if (!live && (child === null || child.exited)) {
        if (++attempts > 5) {
          throw new Error(
            `PostgreSQL does not start in ${this.#data}: ${this.#lastWords()}. Mend what it names, or name another ` +
              'data folder with CUELIGHT_DATA_DIR.',
          )
        }
        if (pid !== null) disownPidFile(this.#data, pid)
        child = await this.#spawn()
      }
      await delay(PAUSE_MS)
    }
    throw new Error(
      `PostgreSQL in ${this.#data} does not answer after ${START_TIMEOUT_MS / 1000} s: ${this.#lastWords()}`,
    )
  }

  async #connect(port: number): Promise<pg.Client | null> {
    const client = new pg.Client({
      host: '127.0.0.1',
      port,
      user: USER,
      password: this.#password,
      database: 'postgres',
      application_name: `Cuelight ${process.pid} on ${hostname()}`.slice(0, 63),
      connectionTimeoutMillis: 5_000,
      // It makes a database at most.
      query_timeout: START_TIMEOUT_MS,
      keepAlive: true,
    })
    // A session that breaks tells so by 'end'.
    client.on('error', () => {})
    try {
      await client.connect()
      const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory')
      const [row] = rows
      if (row !== undefined && realpathSync(row.data_directory) === this.#data) {
        this.#port = port
        return client
      }
    } catch {
      // Not up yet, or some other server that has the port now.
    }
    await client.end().catch(() => {})
    return null
  }

  async #spawn(): Promise<Child> {
    const { home, owner, binaries, durable } = this.#place
    const port = await choosePort(home)
    const settings = {
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      max_connections: '200',
      TimeZone: 'UTC',
      log_timezone: 'UTC',
      cluster_name: 'cuelight',
      jit: 'off',
      fsync: durable ? 'on' : 'off',
      full_page_writes: durable ? 'on' : 'off',
      synchronous_commit: 'on',
    }
    const { file, args, ...as } = launchAs(owner, {
      file: binaries.postgres,
      folder: this.#data,
      args: [
        '-D',
        this.#data,
        '-p',
        String(port),
        ...Object.entries(settings).flatMap(([k, v]) => ['-c', `${k}=${v}`]),
      ],
    })
    await rename(this.#logFile, `${this.#logFile}.1`).catch(() => {})
    const log = openSync(this.#logFile, 'a', 0o600)
    // A session of its own: Ctrl-C in the terminal is for Cuelight, which then stops it in order. A file, not a pipe:
    // it outlives us when we are killed.
    const child = spawn(file, args, {
      ...as,
      detached: true,
      cwd: '/',
      env: ENVIRONMENT,
      stdio: ['ignore', log, log],
    })
    closeSync(log)
    child.unref()
    const state: Child = { exited: false }
    child.once('exit', () => {
      state.exited = true
    })
    child.once('error', (error) => {
      this.#log.error(`The embedded PostgreSQL cannot be started: ${error.message}`)
      state.exited = true
    })
    return state
  }

  get #logFile(): string {
    return join(this.#place.home, 'server.log')
  }

  #lastWords(): string {
    const lines = existsSync(this.#logFile) ? readFileSync(this.#logFile, 'utf8').trim().split('\n').slice(-5) : []
    return `${lines.join(' / ')} (from ${this.#logFile})`
  }
}

type Child = { exited: boolean }

/** The database's own lock, because it ends with the process that holds it, however that ends. */
async function takeOwnership(client: pg.Client, dataDir: string): Promise<void> {
  const until = Date.now() + LOCK_PATIENCE_MS
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [OWNER_LOCK])
    if (rows[0]?.taken === true) return
    if (Date.now() > until) break
    await delay(PAUSE_MS)
  }
  const { rows } = await client.query<{ holder: string }>(
    `SELECT a.application_name AS holder FROM pg_locks l JOIN pg_stat_activity a USING (pid)
     WHERE l.locktype = 'advisory' AND l.granted AND l.classid = 0 AND l.objid = $1`,
    [OWNER_LOCK],
  )
  const [, pid, host] = /^Cuelight (\d+) on (.*)$/.exec(rows[0]?.holder ?? '') ?? []
  throw new Error(
    `The data folder ${dataDir} is in use by another Cuelight server (process ${pid ?? 'unknown'} on ${host ?? 'this machine'}). ` +
      'Stop that one, or give this one a folder of its own with CUELIGHT_DATA_DIR.',
  )
}
