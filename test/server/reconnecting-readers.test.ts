import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createLogger } from '../../src/server/logger.ts'
import { Changes } from '../../src/store/changes.ts'
import { FakeClock } from '../../src/testing/fake-clock.ts'
import { NOW } from '../graphql/client.ts'
import { insertEvent, insertRun } from '../graphql/fixtures.ts'
import { testDatabase } from '../support/database.ts'
import { LogReader, upTo } from './log-reader.ts'
import { StreamReader } from './stream-reader.ts'
import { wiredServer } from './wired-api.ts'

const { db, url: databaseUrl } = await testDatabase()
const log = createLogger({ level: 'silent', format: 'json' })
const clock = new FakeClock(NOW.getTime())
const servers = await Promise.all(
  [new Changes(), new Changes()].map(async (changes) => ({
    changes,
    url: (await wiredServer({ db, clock, log, changes })).url,
  })),
)
const CONNECTIONS = 400
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))

function randomFrom(start: number): () => number {
  let state = start >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/** Another process that writes the log until it is asked to stop; its hints reach both servers. */
function writer(runId: string, name: string): { stop(): Promise<void> } {
  const script = fileURLToPath(new URL('log-writer.mjs', import.meta.url))
  const child = fork(script, [databaseUrl, runId, name])
  child.on('message', (line) => {
    for (const { changes } of servers) changes.publish({ runId, line: Number(line), cues: false })
  })
  const exited = once(child, 'exit')
  return {
    async stop() {
      child.send('stop')
      expect((await exited)[0]).toBe(0)
    },
  }
}

/**
 * Reads a log over connections of a random kind and length, each to a random server, going on behind the last line it has. Calls
 * `onConnected` each time.
 */
async function wander(runId: string, random: () => number, onConnected: () => void): Promise<number[]> {
  const lines: number[] = []
  for (;;) {
    const { url } = servers[random() < 0.5 ? 0 : 1] ?? { url: '' }
    const after = lines.at(-1) ?? 0
    const reader = await (random() < 0.5 ? LogReader : StreamReader).open({ url, runId, after })
    onConnected()
    const ends = reader.ended.then(() => 'ended')
    const far = reader.until(after + Math.floor(random() * 60)).then(() => 'far')
    const how = await Promise.race([ends, far])
    if (how === 'far' && random() < 0.5 && reader instanceof LogReader) reader.leave()
    reader.cut()
    lines.push(...reader.lines)
    if (how === 'ended') return lines
  }
}

test(`readers that reconnect at random while two processes write end with exactly the table (seed ${seed})`, async () => {
  const runId = await insertRun(db, await insertEvent(db), { status: 'RUNNING' })
  const random = randomFrom(seed)
  const steady = await Promise.all(
    servers.flatMap(({ url }) => [LogReader.open({ url, runId }), StreamReader.open({ url, runId })]),
  )
  const writers = [writer(runId, 'one'), writer(runId, 'two')]
  let connections = 0
  const walks: Promise<number[]>[] = []
  await new Promise<void>((resolve) => {
    const onConnected = () => {
      connections += 1
      if (connections === CONNECTIONS) resolve()
    }
    while (walks.length < 6) walks.push(wander(runId, random, onConnected))
  })
  await Promise.all(writers.map((each) => each.stop()))
  await db.prisma.run.update({ where: { id: runId }, data: { status: 'COMPLETED', endedAt: NOW } })
  for (const { changes } of servers) changes.publish({ runId, line: 0, cues: false })

  const table = await db.prisma.logLine.findMany({ where: { runId }, orderBy: { line: 'asc' } })
  const rows = table.map(({ line, text }) => ({ line, text }))
  expect(new Set(table.map(({ actorName }) => actorName))).toEqual(new Set(['one', 'two']))
  for (const reader of steady) {
    await reader.ended
    expect(entriesOf(reader)).toEqual(rows)
    reader.cut()
  }
  for (const lines of await Promise.all(walks)) expect(lines).toEqual(upTo(rows.length))
}, 180_000)

const entriesOf = ({ payloads }: LogReader | StreamReader): unknown[] =>
  payloads.flatMap((payload) => Object(typeof payload === 'string' ? JSON.parse(payload) : payload).data.runLog.entries)
