import { spawn } from 'node:child_process'
import { Socket } from 'node:net'

// The end of its input tells it that this process ended, however that happened. A line tells it that all is in order.
const SCRIPT = `
read -r line && exit
pid=$(head -n 1 "$1/postgres/data/postmaster.pid" 2>/dev/null) && kill -QUIT "$pid"
sleep 1
rm -rf "$1"
`

/**
 * Watches over an embedded PostgreSQL that nobody wants to keep: when this process ends without calling what this
 * answers, even by SIGKILL, the PostgreSQL in that data folder is ended and the folder removed. It keeps no process alive.
 */
export function guardOrphan(dataDir: string): () => void {
  const guard = spawn('/bin/sh', ['-c', SCRIPT, 'cuelight-guard', dataDir], {
    // Ctrl-C in the terminal is not for it.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  guard.once('error', () => {})
  guard.unref()
  if (guard.stdin instanceof Socket) guard.stdin.unref()
  guard.stdin.on('error', () => {})
  return () => {
    guard.stdin.end('done\n')
  }
}
