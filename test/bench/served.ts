import { spawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'

export const ADMIN_TOKEN = 'bench-admin-token-0001'

/** A server as it is built, in a process of its own. */
export type Served = {
  url: string
  pid: number
  /** From its start to ready. */
  readyMs: number
  stop(): Promise<void>
}

/** Starts one with these settings, on a port of its own. */
export async function startServed(settings: Record<string, string>): Promise<Served> {
  // Below those that systems give to clients, thousands of which a measurement before may have used.
  const port = 20_000 + Math.floor(Math.random() * 12_000)
  const env = {
    ...process.env,
    PORT: String(port),
    CUELIGHT_ADMIN_TOKEN: ADMIN_TOKEN,
    LOG_LEVEL: 'warn',
    ...settings,
  }
  const url = `http://127.0.0.1:${port}`
  const begun = performance.now()
  const child = spawn(process.execPath, ['dist/cli/main.js', 'serve'], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await exited
  }
  const isReady = () =>
    fetch(`${url}/readyz`).then(
      (answer) => answer.ok,
      () => false,
    )
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error('The server ended before it was ready: npm run build, then see why.')
    await delay(10)
  }
  return { url, pid: child.pid ?? 0, readyMs: Math.round(performance.now() - begun), stop }
}
