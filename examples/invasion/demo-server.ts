import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { say } from './demo-terminal.ts'

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const WORLD = fileURLToPath(new URL('./world.ts', import.meta.url))
const END_WITH_PARENT = new URL('./end-with-parent.mjs', import.meta.url).href

const LogLine = z.object({ level: z.string(), msg: z.string(), url: z.string().optional() })

/** A server of the demo's own: `cuelight serve` with the example's world, on a PostgreSQL in a temporary folder. */
export function startDemoServer(): {
  /** Its address once it listens; rejects when it ends before, or `signal` fires. */
  ready(signal: AbortSignal): Promise<{ url: string; token: string }>
  /** Ends it in order and removes its folder. */
  stop(): Promise<void>
} {
  const token = randomBytes(24).toString('base64url')
  const starting = start(token)
  return {
    async ready(signal) {
      const { child } = await starting
      return { url: await addressOf(child, signal), token }
    },
    async stop() {
      const { child, dataDir } = await starting
      if (child.exitCode === null && child.signalCode === null) {
        const exited = once(child, 'exit')
        child.kill('SIGTERM')
        await exited
      }
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

async function start(token: string): Promise<{ child: ChildProcess; dataDir: string }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'cuelight-demo-'))
  const ours = /^(CUELIGHT_|DATABASE_URL$|HOST$|PORT$|LOG_)/
  const child = spawn(process.execPath, ['--import', END_WITH_PARENT, MAIN, 'serve'], {
    env: {
      ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name))),
      PORT: '0',
      CUELIGHT_DATA_DIR: dataDir,
      CUELIGHT_ADMIN_TOKEN: token,
      CUELIGHT_MODULES: WORLD,
      LOG_FORMAT: 'json',
    },
    // Its channel closes when the demo ends, even by a kill -9.
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    // Ctrl-C in the terminal is for the demo, which then ends the server in order.
    detached: true,
  })
  return { child, dataDir }
}

/** The address in the server's log; on the way, what the world prints and what the log warns of is shown. */
function addressOf(child: ChildProcess, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    if (child.stdout === null) return reject(new Error('The server has no output.'))
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`The server ended with ${code ?? 'a signal'}.`)))
    signal.addEventListener('abort', () => reject(new Error('The server did not start in time.')), { once: true })
    createInterface({ input: child.stdout }).on('line', (text) => {
      const line = LogLine.safeParse(jsonOf(text))
      if (!line.success) say.world(text)
      else if (line.data.url !== undefined) resolve(line.data.url)
      else if (/^(warn|error|fatal)$/.test(line.data.level)) say.failure(`server: ${line.data.msg}`)
    })
  })
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
