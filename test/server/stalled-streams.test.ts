import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { BOUNDS } from '../../src/server/bounds.ts'
import { createGraphqlEndpoint } from '../../src/server/graphql-endpoint.ts'
import { createLogger } from '../../src/server/logger.ts'
import { attachSockets } from '../../src/server/sockets.ts'
import { FakeClock } from '../../src/testing/fake-clock.ts'
import { NOW } from '../graphql/client.ts'
import { appendLines, insertEvent, insertRun } from '../graphql/fixtures.ts'
import { testDatabase } from '../support/database.ts'
import { countExecutions } from './executions.ts'
import { LogReader, upTo } from './log-reader.ts'
import { StreamReader } from './stream-reader.ts'
import { WatchedChanges } from './watched-changes.ts'
import { wiredParts } from './wired-api.ts'

const { db } = await testDatabase()
const changes = new WatchedChanges()

const STALLED = 400
const LINES = 24
const LINE_BYTES = 100_000
const MIB = 2 ** 20
/** What a reader may cost: 1 MiB, and one frame. */
const BOUND = MIB + 256 * 1024

/** A server on a local socket, whose kernel takes some 200 KB for each connection and not the megabytes of TCP. */
async function listen() {
  const parts = wiredParts({
    db,
    clock: new FakeClock(NOW.getTime()),
    log: createLogger({ level: 'silent', format: 'json' }),
    changes,
  })
  const folder = mkdtempSync(join(tmpdir(), 'cuelight-'))
  const endpoint = createGraphqlEndpoint(parts)
  const responses = new Set<ServerResponse>()
  const server = createServer((request, response) => {
    responses.add(response)
    response.once('close', () => responses.delete(response))
    void endpoint(request, response)
  })
  const sockets = attachSockets(server, { ...parts, endpoint, bounds: BOUNDS })
  const path = join(folder, 'socket')
  server.listen(path)
  await once(server, 'listening')
  onTestFinished(async () => {
    await sockets.close()
    server.closeAllConnections()
    server.close()
    rmSync(folder, { recursive: true })
  })
  return { path, responses, sockets }
}

test('streams whose readers stopped reading hold up nobody, cost little, and bring everything when they read again', async () => {
  const runId = await insertRun(db, await insertEvent(db), { status: 'RUNNING' })
  const { path, responses, sockets } = await listen()
  const open = () => StreamReader.open({ url: path, runId })
  const stalled: StreamReader[] = []
  while (stalled.length < STALLED) stalled.push(...(await Promise.all(Array.from({ length: 50 }, open))))
  const overStream = await open()
  const overSocket = await LogReader.open({ url: `ws+unix://${path}:/graphql`, runId })
  onTestFinished(() => {
    for (const reader of [...stalled, overStream, overSocket]) reader.cut()
  })
  await vi.waitFor(() => expect(sockets.stats().subscribers).toBe(1))
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
  expect(unsent.at(-1)).toBeLessThanOrEqual(BOUND)
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
  await vi.waitFor(() => expect(responses.size).toBe(0))
  expect(changes.listeners).toBe(0)
}, 240_000)
