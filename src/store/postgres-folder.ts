import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { launchAs, type Owner, type PostgresBinaries } from './postgres-binaries.ts'

// What lies in the folder of an embedded PostgreSQL: `data` (PostgreSQL's own), `password`, `port`, `server.log`.

/** The only user of an embedded PostgreSQL, its owner. */
export const USER = 'cuelight'

export type Place = { home: string; owner: Owner | null; binaries: PostgresBinaries; durable: boolean }

/** Made beside its place and moved there whole, so that neither a crash nor a rival leaves a half-made one. */
export async function createCluster({ home, owner, binaries, durable }: Place): Promise<void> {
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
  const child = spawn(file, args, { ...as, cwd: '/', env: ENVIRONMENT, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const code = await new Promise<number | null>((done, fail) => child.on('error', fail).on('close', done))
  if (code === 0) await rename(draft, home).catch(() => {})
  await removeDraft(draft)
  if (!existsSync(home)) throw new Error(setupFault(home, said.trim()))
}

/** Why initdb left no data folder, with what to do where that is known. */
export function setupFault(home: string, said: string): string {
  const advice = said.includes('could not look up effective user ID')
    ? '. PostgreSQL runs only as a user who has a name: give this id one in /etc/passwd, start as somebody who has one, or set DATABASE_URL to a database of your own.'
    : ''
  return `PostgreSQL could not set up its data folder ${home}: ${said}${advice}`
}

/** Nothing of ours leaks in: PGDATA, PGPORT, LANG and their like would change what PostgreSQL does. */
export const ENVIRONMENT = { LC_ALL: 'C', TZ: 'UTC' }

export function readPassword(home: string): string {
  try {
    return readFileSync(join(home, 'password'), 'utf8').trim()
  } catch {
    throw new Error(
      `The embedded PostgreSQL's password is missing: ${join(home, 'password')} cannot be read. Restore the file, or ` +
        `move ${home} away to begin with an empty database, or name another data folder with CUELIGHT_DATA_DIR.`,
    )
  }
}

/** What PostgreSQL's own pid file says; nulls where there is none or it is not complete yet. */
export function readPostmaster(data: string): { pid: number | null; port: number | null } {
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
export function isPostmaster(pid: number, data: string): boolean {
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
 * A file that names another process than `stale` is left alone: a rival's PostgreSQL has just written it.
 */
export function disownPidFile(data: string, stale: number): void {
  if (readPostmaster(data).pid !== stale) return
  const path = join(data, 'postmaster.pid')
  const [, ...rest] = readFileSync(path, 'utf8').split('\n')
  writeFileSync(path, [process.pid, ...rest].join('\n'))
}

/** The port of last time, so that links and tools keep working, or a free one. */
export async function choosePort(home: string): Promise<number> {
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

/** Removes what a process that was killed while it made a cluster left behind. */
export async function sweepDrafts(home: string): Promise<void> {
  for (const name of await readdir(dirname(home))) {
    if (name.startsWith(`${basename(home)}.new-`)) await removeDraft(join(dirname(home), name))
  }
}

/** A rival may be removing the same one; what is left all the same, the next start sweeps. */
async function removeDraft(draft: string): Promise<void> {
  await rm(draft, { recursive: true, force: true }).catch(() => {})
}
