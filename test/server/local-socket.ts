import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { BOUNDS } from '../../src/server/bounds.ts'
import { createGraphqlEndpoint } from '../../src/server/graphql-endpoint.ts'
import { createLogger } from '../../src/server/logger.ts'
import { attachSockets } from '../../src/server/sockets.ts'
import type { Changes } from '../../src/store/changes.ts'
import type { Database } from '../../src/store/database.ts'
import { FakeClock } from '../../src/testing/fake-clock.ts'
import { NOW } from '../graphql/client.ts'
import { wiredParts } from './wired-api.ts'

/** What a reader that has stopped reading may cost: 1 MiB, and one frame. */
export const STALLED_BOUND = 2 ** 20 + 256 * 1024

/**
 * A server on a local socket, whose kernel takes some 200 KB for each connection; of TCP it takes megabytes, which
 * would be as much memory again and again as a test of stalled readers wants to see. It is closed with its test.
 */
export async function listenLocally(db: Database, changes: Changes) {
  const log = createLogger({ level: 'silent', format: 'json' })
  const parts = wiredParts({ db, clock: new FakeClock(NOW.getTime()), log, changes })
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
  return { path, url: `ws+unix://${path}:/graphql`, responses, sockets }
}
