import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startServed } from './served.ts'

/** Until V8 has given back what starting took; it waits some seconds for more to come. */
const IDLE_MS = 30_000

export type ServerFigures = { newMs: number; existingMs: number; idleMB: number }

/** How long `cuelight serve` takes from its start to ready, with a new data folder and with one that is there, and how much memory it then holds. */
export async function measureServer(): Promise<ServerFigures> {
  const dataDir = mkdtempSync(join(tmpdir(), 'cuelight-bench-serve-'))
  try {
    const first = await serveOnce(dataDir, 0)
    const second = await serveOnce(dataDir, IDLE_MS)
    return { newMs: first.readyMs, existingMs: second.readyMs, idleMB: second.idleMB }
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function serveOnce(dataDir: string, idleMs: number): Promise<{ readyMs: number; idleMB: number }> {
  const server = await startServed({ CUELIGHT_DATA_DIR: dataDir })
  try {
    await delay(idleMs)
    return { readyMs: server.readyMs, idleMB: memoryOf(server.pid) }
  } finally {
    await server.stop()
  }
}

/** Resident memory of a process in megabytes, as Linux tells it. */
function memoryOf(pid: number): number {
  const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Math.round((Number(kib) * 1024) / 1e6)
}
