import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { inject } from 'vitest'

export const TOKEN = 'the-admin-token-of-the-tests'

/** `cuelight serve` as a process, to be killed, frozen and thawed. */
export class ServerProcess {
  /** The last lines that it logged at level warn or above, for whoever looks into a failure. */
  readonly complaints: string[] = []
  /** Where its API is; null before it is there. */
  url: string | null = null
  readonly #child: ChildProcess
  readonly #gone: Promise<unknown>
  readonly #listening: Promise<string>

  constructor(env: Record<string, string>) {
    this.#child = spawn(process.execPath, [join(inject('build'), 'cli/main.js'), 'serve'], {
      env: {
        PATH: process.env.PATH,
        PORT: '0',
        LOG_FORMAT: 'json',
        CUELIGHT_ADMIN_TOKEN: TOKEN,
        CUELIGHT_MODULES: resolve('test/crash/world-module.ts'),
        CUELIGHT_LEASE_MS: '1000',
        CUELIGHT_POLL_MS: '100',
        CUELIGHT_STEP_RETRY_MS: '50',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#gone = once(this.#child, 'exit')
    const lines = createInterface({ input: this.#child.stdout ?? process.stdin })
    this.#listening = new Promise((resolve, reject) => {
      lines.on('line', (line) => {
        const { url, level } = readLine(line)
        if (!CALM.has(level)) this.complaints.splice(0, Math.max(0, this.complaints.push(line) - 20))
        if (url === undefined) return
        this.url = url
        resolve(url)
      })
      void this.#gone.then(() =>
        reject(new Error(`The server ended before it listened: ${this.complaints.join('\n')}`)),
      )
    })
    this.#listening.catch(() => {})
    this.#child.stderr?.on('data', (data) => this.complaints.push(String(data)))
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  get exited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  /** Resolves with its address when it listens; rejects when it ends before. */
  listening(): Promise<string> {
    return this.#listening
  }

  freeze(): void {
    this.#child.kill('SIGSTOP')
  }

  thaw(): void {
    this.#child.kill('SIGCONT')
  }

  /** SIGKILL: no line of code of it runs any more. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#gone
  }

  /** SIGTERM: in order. */
  async stop(): Promise<void> {
    this.#child.kill('SIGTERM')
    await this.#gone
  }
}

/** Levels of what nobody need look at. */
const CALM: ReadonlySet<string> = new Set(['trace', 'debug', 'info'])

function readLine(line: string): { url?: string; level: string } {
  try {
    return { level: 'none', ...JSON.parse(line) }
  } catch {
    return { level: 'none' }
  }
}
