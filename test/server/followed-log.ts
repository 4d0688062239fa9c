import { expect } from 'vitest'
import { createLogger } from '../../src/server/logger.ts'
import { FakeClock } from '../../src/testing/fake-clock.ts'
import { NOW } from '../graphql/client.ts'
import { appendLines, insertEvent, insertRun } from '../graphql/fixtures.ts'
import { testDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { WatchedChanges } from './watched-changes.ts'
import { wiredServer } from './wired-api.ts'

/** A server whose logs are followed, and runs whose logs the test writes. */
export async function followedLog() {
  const { db, url: databaseUrl } = await testDatabase()
  const event = await insertEvent(db)
  const clock = new FakeClock(NOW.getTime())
  const quiet = createLogger({ level: 'silent', format: 'json' })
  const changes = new WatchedChanges()
  const { url, server } = await wiredServer({ db, clock, log: quiet, changes })
  let minute = 0
  return {
    db,
    databaseUrl,
    clock,
    quiet,
    changes,
    url,
    server,
    newRun: () => insertRun(db, event, { at: new Date(NOW.getTime() + minute++ * 60_000), status: 'RUNNING' }),
    /** Appends lines to the log of a run, and answers the number of the last. */
    async write(runId: string, texts: string[]): Promise<number> {
      const line = await appendLines(db, runId, texts)
      changes.publish({ runId, line, cues: false })
      return line
    },
    async finish(runId: string): Promise<void> {
      await db.prisma.run.update({ where: { id: runId }, data: { status: 'COMPLETED', endedAt: NOW } })
      changes.publish({ runId, line: 0, cues: false })
    },
    /** Waits until so many follow something. */
    subscribed: (count: number) => eventually(() => expect(server.stats().subscribers).toBe(count)),
  }
}
