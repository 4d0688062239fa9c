import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, openSync, readFileSync, readlinkSync, realpathSync, writeFileSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { hostname } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { findBinaries, launchAs, type Owner, ownerForPostgres, type PostgresBinaries } from './postgres-binaries.ts'

/** Where to say what is going on; a pino logger is one. */
export type Log = { info(message: string): void; warn(message: string): void; error(message: string): void }

/** A PostgreSQL of our own, running. */
export type EmbeddedPostgres = {
  /** Connection string of the database `cuelight`, password included. */
  url: string
  /** Shuts it down cleanly. Safe to call twice, and when it is gone already. */
  stop(): Promise<void>
}

const USER = 'cuelight'
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
  await mkdir(dirname(home), { recursive: true })
  if (!existsSync(home)) await createCluster({ home, owner, binaries, durable })
  const cluster = new Cluster({ home, owner, binaries, durable, log })
  await cluster.start()
  return { url: cluster.url, stop: () => cluster.stop() }
}

type Place = { home: string; owner: Owner | null; binaries: PostgresBinaries; durable: boolean }

/** Made beside its place and moved there whole, so that neither a crash nor a rival leaves a half-made one. */
async function createCluster({ home, owner, binaries, durable }: Place): Promise<void> {
  const draft = await mkdtemp(`${home}.new-`)
  const [data, passwordFile] = [join(draft, 'data'), join(draft, 'password')]
  await chmod(draft, 0o711)
  await mkdir(data, { mode: 0o700 })
  await writeFile(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 })
  for (const path of owner === null ? [] : [data, passwordFile]) await chown(path, owner?.uid ?? 0, owner?.gid ?? 0)
  const { file, args, ...as } = launchAs(owner, {
    file: binaries.initdb,
    folder: data,
    args: [
      `--pgdata=${data}`,
      `--username=${USER}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // Sorted by code point on every machine, with upper and lower case as Unicode has them.
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
      ...(durable ? [] : ['--no-sync']),
    ],
  })
  const child = spawn(file, args, { ...as, cwd: '/', env: environment(), stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const code = await new Promise<number | null>((done, fail) => child.on('error', fail).on('close', done))
  if (code === 0) await rename(draft, home).catch(() => {})
  if (!existsSync(home)) throw new Error(`PostgreSQL could not set up its data folder ${home}: ${said.trim()}`)
  await rm(draft, { recursive: true, force: true })
}

/** Nothing of ours leaks in: PGDATA, PGPORT, LANG and their like change what PostgreSQL does. */
const environment = () => ({ PATH: process.env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC' })

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
    await this.#sweep()
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
        if (++attempts > 5) throw new Error(`PostgreSQL does not start in ${this.#data}: ${this.#lastWords()}`)
        disownPidFile(this.#data)
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
      env: environment(),
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

  /** What a process that was killed while it made a cluster left behind. */
  async #sweep(): Promise<void> {
    const { home } = this.#place
    for (const name of await readdir(dirname(home))) {
      if (name.startsWith(`${basename(home)}.new-`))
        await rm(join(dirname(home), name), { recursive: true, force: true })
    }
  }
}

type Child = { exited: boolean }

function readPassword(home: string): string {
  try {
    return readFileSync(join(home, 'password'), 'utf8').trim()
  } catch {
    throw new Error(
      `The embedded PostgreSQL's password is missing: ${join(home, 'password')} cannot be read. Restore the file, or ` +
        `move ${home} away to begin with an empty database.`,
    )
  }
}

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

/** What PostgreSQL's own pid file says; nulls where there is none or it is not complete yet. */
function readPostmaster(data: string): { pid: number | null; port: number | null } {
  let lines: string[] = []
  try {
    lines = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')
  } catch {
    // No server was here, or it stopped in order.
  }
  const positive = (text: string | undefined) => (/^\d+$/.test(text?.trim() ?? '') ? Number(text) : null)
  return { pid: positive(lines[0]), port: positive(lines[3]) }
}

/** Whether the process lives and works in this data folder, where a server always has its working directory. */
function isPostmaster(pid: number, data: string): boolean {
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux' || readlinkSync(`/proc/${pid}/cwd`) === data
  } catch {
    return false
  }
}

/**
 * A number in a pid file left by a crash may belong to a stranger by now, and PostgreSQL would refuse to start. It takes
 * its parent's number for stale. The rest of the file stays: by it PostgreSQL sees that sessions of the dead server live.
 */
function disownPidFile(data: string): void {
  const path = join(data, 'postmaster.pid')
  if (!existsSync(path)) return
  const [, ...rest] = readFileSync(path, 'utf8').split('\n')
  writeFileSync(path, [process.pid, ...rest].join('\n'))
}

/** The port of last time, so that links and tools keep working, or a free one. */
async function choosePort(home: string): Promise<number> {
  const file = join(home, 'port')
  const last = Number(await readFile(file, 'utf8').catch(() => '0'))
  const port = (await freePort(last).catch(() => null)) ?? (await freePort(0))
  await writeFile(file, String(port))
  return port
}

function freePort(wanted: number): Promise<number> {
  return new Promise((done, fail) => {
    const probe = createServer().once('error', fail)
    probe.listen({ host: '127.0.0.1', port: wanted }, () => {
      const address = probe.address()
      const port = address !== null && typeof address === 'object' ? address.port : 0
      probe.close(() => done(port))
    })
  })
}
