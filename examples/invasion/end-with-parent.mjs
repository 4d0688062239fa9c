// Loaded into the demo's server before anything else: however the demo ends, the server ends after it, in order.

import { rmSync } from 'node:fs'
import { basename } from 'node:path'

process.once('disconnect', () => {
  // Nobody else is left to do it. By its exit the server has stopped its PostgreSQL.
  const folder = process.env.CUELIGHT_DATA_DIR ?? ''
  if (basename(folder).startsWith('cuelight-demo-')) {
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  }
  process.kill(process.pid, 'SIGTERM')
})
// The channel by itself keeps no server alive.
process.channel?.unref()
// Nobody reads what it still says.
process.stdout.on('error', () => {})
