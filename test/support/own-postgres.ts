import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { inject, onTestFinished } from 'vitest'
import { findBinaries, launchAs, ownerForPostgres } from '../../src/store/postgres-binaries.ts'
import { choosePort, ENVIRONMENT, readPassword, USER } from '../../src/store/postgres-folder.ts'
import { copyDataDir } from './prepared.ts'

type Tls = { cert: string; key: string; ca?: string }

/** A PostgreSQL of one test's own, to be stopped, started again, frozen and thawed. */
export class OwnPostgres {
  readonly #home: string
  readonly #port: number
  readonly #settings: Record<string, string>
  #process: ChildProcess | null = null

  private constructor(home: string, port: number, settings: Record<string, string>) {
    this.#home = home
    this.#port = port
    this.#settings = settings
  }

  /**
   * One that runs, with an empty database, until the test ends. With `tls`, in PEM form, it takes TLS too, and clients with
   * a certificate that `ca` signed; `hba` are lines of who may log in besides its own user.
   */
  static async open({ tls = null, hba = [] }: { tls?: Tls | null; hba?: string[] } = {}): Promise<OwnPostgres> {
    const folder = await mkdtemp(join(tmpdir(), 'cuelight-own-'))
    await copyDataDir(inject('preparedDataDir'), folder)
    const home = join(folder, 'postgres')
    const lines = [`host all ${USER} 127.0.0.1/32 scram-sha-256`, ...hba]
    await writeFile(join(home, 'data', 'pg_hba.conf'), lines.join('\n'))
    if (tls !== null) await writeTls(join(home, 'data'), tls)
    const postgres = new OwnPostgres(
      home,
      await choosePort(home),
      tls === null ? {} : { ssl: 'on', ssl_ca_file: 'root.crt' },
    )
    onTestFinished(async () => {
      await postgres.stop('SIGQUIT')
      await rm(folder, { recursive: true, force: true })
    })
    await postgres.start()
    await postgres.#execute('postgres', 'CREATE DATABASE weather')
    return postgres
  }

  get url(): string {
    return this.#urlOf('weather')
  }

  async start(): Promise<void> {
    const data = join(this.#home, 'data')
    const settings = {
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      fsync: 'off',
      max_connections: '150',
      ...this.#settings,
    }
    const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const { postgres } = await findBinaries()
    const { file, args, ...as } = launchAs(ownerForPostgres(), {
      file: postgres,
      folder: data,
      args: ['-D', data, '-p', String(this.#port), ...options],
    })
    this.#process = spawn(file, args, { ...as, cwd: '/', env: ENVIRONMENT, stdio: 'ignore' })
    while (!(await this.#execute('postgres', 'SELECT 1').catch(() => false))) {
      if (this.#process.exitCode !== null) throw new Error(`PostgreSQL ended with ${this.#process.exitCode}.`)
      await delay(20)
    }
  }

  /** SIGINT: cuts its sessions and stops in order; SIGQUIT: stops at once, as in a crash. */
  async stop(signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
    const running = this.#process
    this.#process = null
    if (running === null || running.exitCode !== null) return
    const gone = once(running, 'exit')
    running.kill(signal)
    running.kill('SIGCONT')
    await gone
  }

  /** It and all its sessions stand still from now on, with their connections open. */
  freeze(): void {
    this.#signalAll('SIGSTOP')
  }

  thaw(): void {
    this.#signalAll('SIGCONT')
  }

  #signalAll(signal: 'SIGSTOP' | 'SIGCONT'): void {
    const pid = this.#process?.pid
    if (pid === undefined) throw new Error('PostgreSQL does not run.')
    process.kill(pid, signal)
    for (const child of childrenOf(pid)) {
      try {
        process.kill(child, signal)
      } catch {
        // A session that ended meanwhile.
      }
    }
  }

  #urlOf(database: string): string {
    return `postgresql://${USER}:${readPassword(this.#home)}@127.0.0.1:${this.#port}/${database}`
  }

  async #execute(database: string, statement: string): Promise<boolean> {
    const session = new pg.Client({ connectionString: this.#urlOf(database) })
    session.on('error', () => {})
    await session.connect()
    try {
      await session.query(statement)
      return true
    } finally {
      await session.end()
    }
  }
}

/** Where PostgreSQL looks for them. The key may be read by its owner alone, who is PostgreSQL's user. */
async function writeTls(data: string, { cert, key, ca = cert }: Tls): Promise<void> {
  const { uid, gid } = await stat(data)
  for (const [name, text] of [
    ['server.crt', cert],
    ['server.key', key],
    ['root.crt', ca],
  ] as const) {
    await writeFile(join(data, name), text, { mode: 0o600 })
    await chown(join(data, name), uid, gid)
  }
}

function childrenOf(pid: number): number[] {
  const listed = `/proc/${pid}/task/${pid}/children`
  if (existsSync(listed)) return readFileSync(listed, 'utf8').trim().split(' ').map(Number)
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
  return lines
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([child, parent]) => (child !== undefined && parent === pid ? [child] : []))
}
