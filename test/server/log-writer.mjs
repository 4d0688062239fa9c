// Writes lines into a run's log as a server of its own would until its parent says stop, and tells it of most of them:
// `node log-writer.mjs <database> <run> <name>`.
import pg from 'pg'

const [url, runId, name] = process.argv.slice(2)
const session = new pg.Client({ connectionString: url })
await session.connect()
let isAsked = true
process.once('message', () => {
  isAsked = false
})
let written = 0
while (isAsked) {
  const count = 1 + (written % 7)
  await session.query('BEGIN')
  const { rows } = await session.query(
    'UPDATE runs SET last_line = last_line + $2 WHERE id = $1::uuid RETURNING last_line AS last',
    [runId, count],
  )
  const { last } = rows[0]
  for (let line = last - count + 1; line <= last; line++) {
    await session.query(
      `INSERT INTO run_log (run_id, line, at, kind, actor_kind, actor_name, detail, text)
       VALUES ($1::uuid, $2, '2026-03-06T20:00:00Z', 'step.message', 'SYSTEM', $3, '{}', $4)`,
      [runId, line, name, `${name} ${'.'.repeat((line * 37) % 400)}`],
    )
  }
  await session.query('COMMIT')
  written += count
  // The others are found by whoever looks again.
  if (written % 5 > 0) process.send(last)
}
await session.end()
process.disconnect()
