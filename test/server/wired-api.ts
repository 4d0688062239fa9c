import { afterAll } from 'vitest'
import type { Clock } from '../../src/domain/clock.ts'
import { Registry } from '../../src/modules/registry.ts'
import { createApi } from '../../src/server/api.ts'
import { createHttpServer } from '../../src/server/http.ts'
import type { Logger } from '../../src/server/logger.ts'
import { Changes } from '../../src/store/changes.ts'
import type { Database } from '../../src/store/database.ts'
import { controlContext } from '../support/context.ts'

/** The API behind real sockets; whoever sends a token that ends in "viewer" is a VIEWER, any other an ADMIN. */
export async function wiredApi({ db, clock, log }: { db: Database; clock: Clock; log: Logger }): Promise<string> {
  const registry = new Registry()
  const server = createHttpServer({
    api: createApi({
      control: controlContext({ db, changes: new Changes(), clock, catalog: registry }),
      registry,
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
    zoneData: '2026a',
    allowedOrigins: [],
    log,
  })
  afterAll(() => server.close())
  return server.listen({ host: '127.0.0.1', port: 0 })
}
