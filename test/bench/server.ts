import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** How long `cuelight serve` takes from its start to ready, with a new data folder and with one that is there, and how much memory it then holds. */
export async function measureServer(): Promise<{ newMs: number; existingMs: number; idleMiB: number }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'cuelight-bench-serve-'))
  try {
    const first = await serveOnce(dataDir)
    const second = await serveOnce(dataDir)
    return { newMs: first.readyMs, existingMs: second.readyMs, idleMiB: second.idleMiB }
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function serveOnce(dataDir: string): Promise<{ readyMs: number; idleMiB: number }> {
  const port = 20_000 + Math.floor(Math.random() * 20_000)
  const env = {
    ...process.env,
    PORT: String(port),
    CUELIGHT_DATA_DIR: dataDir,
    CUELIGHT_ADMIN_TOKEN: 'bench-admin-token-0001',
    LOG_LEVEL: 'warn',
  }
  const begun = performance.now()
  const child = spawn(process.execPath, ['dist/cli/main.js', 'serve'], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  try {
    const isReady = () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        (answer) => answer.ok,
        () => false,
      )
    while (!(await isReady())) {
      if (child.exitCode !== null) throw new Error('The server ended before it was ready: npm run build, then see why.')
      await delay(10)
    }
    const readyMs = Math.round(performance.now() - begun)
    await delay(5000)
    return { readyMs, idleMiB: memoryOf(child.pid ?? 0) }
  } finally {
    child.kill('SIGTERM')
    await exited
  }
}

/** Resident memory of a process in MiB, as Linux tells it. */
function memoryOf(pid: number): number {
  const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Math.round(Number(kib) / 1024)
}
