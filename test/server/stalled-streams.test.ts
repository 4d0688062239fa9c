import { expect, onTestFinished, test } from 'vitest'
import { NOW } from '../graphql/client.ts'
import { appendLines, insertEvent, insertRun } from '../graphql/fixtures.ts'
import { testDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { countExecutions } from './executions.ts'
import { listenLocally, STALLED_BOUND } from './local-socket.ts'
import { LogReader, upTo } from './log-reader.ts'
import { StreamReader } from './stream-reader.ts'
import { WatchedChanges } from './watched-changes.ts'

const { db } = await testDatabase()
const changes = new WatchedChanges()

const STALLED = 400
const LINES = 24
const LINE_BYTES = 100_000
const MIB = 2 ** 20

test('streams whose readers stopped reading hold up nobody, cost little, and bring everything when they read again', async () => {
  const runId = await insertRun(db, await insertEvent(db), { status: 'RUNNING' })
  const { path, responses, sockets } = await listenLocally(db, changes)
  const open = () => StreamReader.open({ url: path, runId })
  const stalled: StreamReader[] = []
  while (stalled.length < STALLED) stalled.push(...(await Promise.all(Array.from({ length: 50 }, open))))
  const overStream = await open()
  const overSocket = await LogReader.open({ url: `ws+unix://${path}:/graphql`, runId })
  onTestFinished(() => {
    for (const reader of [...stalled, overStream, overSocket]) reader.cut()
  })
  await eventually(() => expect(sockets.stats().subscribers).toBe(1))
  expect(changes.listeners).toBe(1)
  for (const reader of stalled) await reader.pause()

  const counted = countExecutions()
  const before = process.memoryUsage().rss
  for (let line = 1; line <= LINES; line++) {
    await appendLines(db, runId, [String(line).padEnd(LINE_BYTES, '.')])
    changes.publish({ runId, line, cues: false })
    await Promise.all([overStream.until(line), overSocket.until(line)])
  }
  expect([overStream.lines, overSocket.lines]).toEqual([upTo(LINES), upTo(LINES)])
  const unsent = [...responses].map(({ writableLength }) => writableLength).sort((a, b) => a - b)
  expect(unsent).toHaveLength(STALLED + 1)
  expect(unsent.at(-1)).toBeLessThanOrEqual(STALLED_BOUND)
  // Else they were not stalled; the first is the one that reads.
  expect(unsent[1]).toBeGreaterThan(MIB * 0.9)
  // All of them wait for the same bytes: a copy for each would be half a gigabyte.
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * MIB)
  // Who is full is served from the database, and not before it reads again.
  expect(counted.events).toBe(LINES)

  await db.prisma.run.update({ where: { id: runId }, data: { status: 'COMPLETED', endedAt: NOW } })
  changes.publish({ runId, line: 0, cues: false })
  expect(await overStream.ended).toBe('COMPLETE')
  expect((await overSocket.ended).type).toBe('complete')
  for (const reader of stalled) await reader.resume()
  for (const reader of stalled) {
    expect(await reader.ended).toBe('COMPLETE')
    expect(reader.lines).toEqual(upTo(LINES))
  }
  await eventually(() => expect(responses.size).toBe(0))
  expect(changes.listeners).toBe(0)
}, 240_000)
