import { expect, onTestFinished, test } from 'vitest'
import { Changes } from '../../src/store/changes.ts'
import { NOW } from '../graphql/client.ts'
import { appendLines, insertEvent, insertRun } from '../graphql/fixtures.ts'
import { testDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { listenLocally, STALLED_BOUND } from './local-socket.ts'
import { LogReader, upTo } from './log-reader.ts'

const { db } = await testDatabase()
const changes = new Changes()

const STALLED = 1_000
const LINES = 24
const LINE_BYTES = 100_000
const MIB = 2 ** 20

/** The numbers of the lines in a message, without reading all of it. */
function linesIn(message: Buffer): number[] {
  const lines: number[] = []
  for (let at = message.indexOf('"line":'); at !== -1; at = message.indexOf('"line":', at + 7))
    lines.push(Number.parseInt(message.toString('latin1', at + 7, at + 17), 10))
  return lines
}

test('a thousand readers that stopped reading hold up nobody, cost little, and get everything when they read again', async () => {
  const runId = await insertRun(db, await insertEvent(db), { status: 'RUNNING' })
  const { sockets, url } = await listenLocally(db, changes)
  const open = async () => {
    const lines: number[] = []
    const reader = await LogReader.open({ url, runId, onNext: (message) => lines.push(...linesIn(message)) })
    return { reader, lines }
  }
  const stalled: Awaited<ReturnType<typeof open>>[] = []
  while (stalled.length < STALLED) stalled.push(...(await Promise.all(Array.from({ length: 50 }, open))))
  const live = await LogReader.open({ url, runId })
  onTestFinished(() => {
    for (const { reader } of stalled) reader.cut()
    live.cut()
  })
  await eventually(() => expect(sockets.stats().subscribers).toBe(STALLED + 1))
  for (const { reader } of stalled) reader.socket.pause()

  const before = process.memoryUsage().rss
  for (let line = 1; line <= LINES; line++) {
    await appendLines(db, runId, [String(line).padEnd(LINE_BYTES, '.')])
    changes.publish({ runId, line, cues: false })
    await live.until(line)
  }
  expect(live.lines).toEqual(upTo(LINES))
  const { unsentBytes } = sockets.stats()
  expect(unsentBytes).toBeLessThanOrEqual(STALLED * STALLED_BOUND)
  // Else they were not stalled.
  expect(unsentBytes).toBeGreaterThan(STALLED * MIB * 0.9)
  // All of them wait for the same bytes: a copy for each would be more than a gigabyte.
  expect(process.memoryUsage().rss - before).toBeLessThan(400 * MIB)

  await db.prisma.run.update({ where: { id: runId }, data: { status: 'COMPLETED', endedAt: NOW } })
  changes.publish({ runId, line: 0, cues: false })
  expect((await live.ended).type).toBe('complete')
  for (const { reader } of stalled) reader.socket.resume()
  for (const { reader, lines } of stalled) {
    expect((await reader.ended).type).toBe('complete')
    expect(lines).toEqual(upTo(LINES))
  }
  await eventually(() => expect(sockets.stats()).toEqual({ subscribers: 0, unsentBytes: 0 }))
}, 240_000)
