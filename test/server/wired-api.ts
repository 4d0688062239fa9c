import { afterAll } from 'vitest'
import type { Clock } from '../../src/domain/clock.ts'
import { Registry } from '../../src/modules/registry.ts'
import { createApi } from '../../src/server/api.ts'
import { createHttpServer, type HttpServer, type HttpServerOptions } from '../../src/server/http.ts'
import type { Logger } from '../../src/server/logger.ts'
import { Changes } from '../../src/store/changes.ts'
import type { Database } from '../../src/store/database.ts'
import { controlContext } from '../support/context.ts'

type Parts = { db: Database; clock: Clock; log: Logger; changes?: Changes }

/** The API behind real sockets; whoever sends a token that ends in "viewer" is a VIEWER, any other an ADMIN. */
export async function wiredApi(parts: Parts): Promise<string> {
  return (await wiredServer(parts)).url
}

/** The same, with its server. */
export async function wiredServer({
  db,
  clock,
  log,
  changes = new Changes(),
}: Parts): Promise<{ url: string; server: HttpServer }> {
  const server = createHttpServer(wiredParts({ db, clock, log, changes }))
  afterAll(() => server.close())
  return { server, url: await server.listen({ host: '127.0.0.1', port: 0 }) }
}

/** What it is made of, for a test with a transport of its own. */
export function wiredParts({ db, clock, log, changes }: Required<Parts>): HttpServerOptions {
  const registry = new Registry()
  return {
    api: createApi({
      control: controlContext({ db, changes, clock, catalog: registry }),
      registry,
      publicUrl: null,
      log,
    }),
    authenticate: async (authorization) => {
      if (authorization === null) return { kind: 'anonymous' }
      const role = authorization.endsWith('viewer') ? 'VIEWER' : 'ADMIN'
      return { kind: 'caller', caller: { actor: { kind: 'TOKEN', name: role }, role } }
    },
    credentials: { hold: () => () => {} },
    readiness: async () => ({ ready: true, reasons: [], warnings: [] }),
    metrics: async () => ({ kind: 'page', page: { type: 'text/plain', text: '' } }),
    calendar: async () => ({ kind: 'refused', status: 401, error: 'no secret' }),
    zoneData: '2026a',
    allowedOrigins: [],
    log,
  }
}
