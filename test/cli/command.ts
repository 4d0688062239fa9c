import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { inject, onTestFinished } from 'vitest'
import { eventually } from '../support/eventually.ts'

/** What a command came to: its exit code (null where a signal ended it), and what it wrote. */
export type Ended = { code: number | null; out: string; err: string }

/** The command line as a process of its own, with nothing of this one's environment but the path. */
export function startCommand(args: string[], { env = {}, input = '' }: { env?: object; input?: string } = {}) {
  const child = spawn(process.execPath, [join(inject('build'), 'cli/main.js'), ...args], {
    env: { PATH: process.env.PATH, TZ: 'UTC', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const written = { out: '', err: '' }
  child.stdout.on('data', (data) => {
    written.out += String(data)
  })
  child.stderr.on('data', (data) => {
    written.err += String(data)
  })
  const ended: Promise<Ended> = once(child, 'close').then(([code]) => ({ code, ...written }))
  return {
    child,
    ended,
    /** Waits until it has written this, on standard output where nothing else is said. */
    wrote: (text: string | RegExp, where: 'out' | 'err' = 'out') =>
      eventually(() => {
        if (typeof text === 'string' ? written[where].includes(text) : text.test(written[where])) return
        throw new Error(`It has written ${JSON.stringify(written)}, and not ${text}.`)
      }),
  }
}

/** Runs a command to its end. */
export function command(args: string[], options: { env?: object; input?: string } = {}): Promise<Ended> {
  return startCommand(args, options).ended
}
