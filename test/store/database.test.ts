import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { connectionOf } from '../../src/store/connection.ts'
import { openDatabase, type PrismaClient } from '../../src/store/database.ts'
import { testDatabase } from '../support/database.ts'
import { OwnPostgres } from '../support/own-postgres.ts'

const { db, url } = await testDatabase()

const open = (to: string) => openDatabase({ url: to, poolSize: 1, runnerPoolSize: 1 })

function changed(change: (target: URL) => void): string {
  const target = new URL(url)
  change(target)
  return target.href
}

test('instants come back as they were stored, whatever the database thinks its zone is', async () => {
  const at = new Date('2031-03-09T07:30:00.123Z')
  await db.prisma.auditEntry.create({
    data: { id: crypto.randomUUID(), at, actorKind: 'SYSTEM', actorName: 'Cuelight', action: 'test', detail: {} },
  })
  const [row] = await db.hot.$queryRaw<{ at: Date; text: string }[]>`
    SELECT at, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS') AS text FROM audit_entries`
  expect(row).toEqual({ at, text: '2031-03-09 07:30:00.123' })
})

const settingsOf = (client: PrismaClient) => client.$queryRaw`
  SELECT current_setting('enable_seqscan') AS scans, current_setting('TimeZone') AS zone,
         current_setting('idle_in_transaction_session_timeout') AS idle, current_setting('statement_timeout') AS longest`
const COMMON = { zone: 'UTC', idle: '5s' }

test.each([
  ['hot', '15s'],
  ['controls', '30s'],
  ['standings', '30s'],
  ['patient', '10min'],
] as const)(
  'statements of %s are prepared once, never scan for want of statistics, and take %s at most',
  async (name, longest) => {
    const one = await open(url)
    onTestFinished(() => one.close())
    const client = one[name]
    for (const id of [1, 2, 3]) await client.$queryRaw`SELECT ${id}::int AS id`
    const prepared = await client.$queryRaw<{ uses: bigint }[]>`
      SELECT generic_plans + custom_plans AS uses FROM pg_prepared_statements
      WHERE statement LIKE 'SELECT $1::int AS id%'`
    expect(prepared).toEqual([{ uses: 3n }])
    expect(await settingsOf(client)).toEqual([{ ...COMMON, scans: 'off', longest }])
  },
)

test('what clients ask for is planned for its values', async () => {
  expect(await settingsOf(db.prisma)).toEqual([{ ...COMMON, scans: 'on', longest: '30s' }])
})

test('what clients ask for leaves nothing behind in the sessions that they share', async () => {
  const one = await open(url)
  onTestFinished(() => one.close())
  for (const length of [1, 2, 3]) {
    await one.prisma.run.findMany({ where: { scope: { in: Array.from({ length }, String) } }, take: length })
  }
  const kept = await one.prisma.$queryRaw`SELECT statement FROM pg_prepared_statements WHERE name <> ''`
  expect(kept).toEqual([])
})

test('closing ends the sessions of all pools and can be done twice', async () => {
  const one = await open(url)
  const pids: number[] = []
  for (const client of [one.prisma, one.controls, one.standings, one.hot, one.patient]) {
    const [row] = await client.$queryRaw<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`
    pids.push(row?.pid ?? 0)
  }
  const live = () => db.prisma.$queryRaw<unknown[]>`SELECT pid FROM pg_stat_activity WHERE pid = ANY (${pids})`
  expect(await live()).toHaveLength(5)
  await one.close()
  await one.close()
  await expect.poll(live).toEqual([])
})

test('a database that does not exist is named with what to do, and without the password', async () => {
  const wrong = changed((target) => {
    target.password = 'planted-secret'
    target.pathname = '/nowhere'
  })
  const error = await open(wrong).then(
    () => null,
    (cause: unknown) => String(cause),
  )
  expect(error).toMatch(
    /^Error: DATABASE_URL \([^)]*\/nowhere\) cannot be used: .* (Create the database|Correct the user)/,
  )
  expect(error).not.toContain('planted-secret')
})

test('an address where nothing listens is named with what to do', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  await expect(open(`postgresql://ada@127.0.0.1:${port}/cuelight`)).rejects.toThrow(
    `DATABASE_URL (ada@127.0.0.1:${port}/cuelight) cannot be used: connect ECONNREFUSED 127.0.0.1:${port}. ` +
      'Nothing listens there: start PostgreSQL, or correct the host and port.',
  )
})

test('a user who may not log in is told why, and what to do', async () => {
  const postgres = await OwnPostgres.open({ hba: ['host all ghost,bystander 127.0.0.1/32 trust'] })
  const admin = new pg.Client(postgres.url)
  await admin.connect()
  await admin.query('CREATE ROLE bystander')
  await admin.end()
  const as = (user: string) => {
    const target = new URL(postgres.url)
    target.username = user
    return open(target.href)
  }
  await expect(as('ghost')).rejects.toThrow(
    /role "ghost" does not exist\. Create the role with LOGIN, or correct the user\.$/,
  )
  await expect(as('bystander')).rejects.toThrow(
    /is not permitted to log in\. ALTER ROLE … LOGIN, or correct the user\.$/,
  )
  await expect(as('stranger')).rejects.toThrow(
    /no pg_hba\.conf entry .* Allow this user and address in pg_hba\.conf, or correct the user; .* sslmode=verify-full /,
  )
}, 120_000)

test('what is no connection string is refused with the form of one', async () => {
  await expect(open('mysql://somewhere')).rejects.toThrow(
    'DATABASE_URL is not a connection string: write postgresql://user:password@host:5432/database.',
  )
})

test('a pooler that drops the settings of a session is refused', async () => {
  const behind = new URL(url)
  const pooler = createServer((client) => {
    const server = connect(Number(behind.port), behind.hostname)
    client.once('data', (startup: Buffer) => {
      const parameters = startup
        .subarray(8)
        .toString()
        .replace(/options\0[^\0]*\0/, '')
      const head = Buffer.alloc(8)
      head.writeInt32BE(8 + Buffer.byteLength(parameters))
      startup.copy(head, 4, 4, 8)
      server.write(Buffer.concat([head, Buffer.from(parameters)]))
      client.pipe(server).pipe(client)
    })
    for (const socket of [client, server]) socket.on('error', () => {})
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void pooler.close())
  await once(pooler, 'listening')
  const { port } = pooler.address() as AddressInfo
  const through = changed((target) => {
    target.hostname = '127.0.0.1'
    target.port = String(port)
  })
  await expect(open(through)).rejects.toThrow(/as behind a pooler in transaction mode\. Connect to PostgreSQL itself/)
})

/** As a pooler in transaction mode: who connects while another is connected gets the other's process. */
async function sharingPooler(): Promise<string> {
  const behind = new URL(url)
  let server: Socket | null = null
  let asking: Socket | null = null
  const pooler = createServer((client) => {
    client.on('error', () => {})
    const first = server === null
    server ??= connect(Number(behind.port), behind.hostname).on('error', () => {})
    const shared = server
    if (first) shared.on('data', (data) => asking?.write(data))
    let started = first
    client.on('data', (data: Buffer) => {
      asking = client
      // A goodbye is not the process's.
      if (data[0] === 'X'.charCodeAt(0)) return
      if (started) return shared.write(data)
      started = true
      client.write(Buffer.from([...Buffer.from('R'), 0, 0, 0, 8, 0, 0, 0, 0, ...Buffer.from('Z'), 0, 0, 0, 5, 73]))
    })
    onTestFinished(() => {
      client.destroy()
      shared.destroy()
    })
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void pooler.close())
  await once(pooler, 'listening')
  const { port } = pooler.address() as AddressInfo
  return changed((target) => {
    target.hostname = '127.0.0.1'
    target.port = String(port)
  })
}

test('a pooler that keeps the settings and shares processes out among sessions is refused', async () => {
  await expect(open(await sharingPooler())).rejects.toThrow(
    /two sessions share one process of PostgreSQL, as behind a pooler in transaction mode\. Connect to PostgreSQL itself, or through a pooler in session mode that passes on the options of a connection\.$/,
  )
})

/** As a pooler in transaction mode that others use too: two sessions get two processes, which now and then change places. */
async function swappingPooler(): Promise<string> {
  const behind = new URL(url)
  const servers: { socket: Socket; asking: Socket }[] = []
  const places = [0, 1, 1, 0]
  let asked = 0
  const pooler = createServer((client) => {
    const own = { socket: connect(Number(behind.port), behind.hostname), asking: client }
    servers.push(own)
    own.socket.on('data', (data) => own.asking.write(data))
    client.on('data', (data: Buffer) => {
      // A goodbye is not the process's.
      if (data[0] === 'X'.charCodeAt(0)) return
      const isQuery = data[0] === 'Q'.charCodeAt(0) && servers.length === 2
      const server = (isQuery ? servers[places[asked++ % places.length] ?? 0] : null) ?? own
      server.asking = client
      server.socket.write(data)
    })
    for (const socket of [client, own.socket]) socket.on('error', () => {})
    onTestFinished(() => {
      client.destroy()
      own.socket.destroy()
    })
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void pooler.close())
  await once(pooler, 'listening')
  const { port } = pooler.address() as AddressInfo
  return changed((target) => {
    target.hostname = '127.0.0.1'
    target.port = String(port)
  })
}

test('so is one whose other clients are served meanwhile, so that the processes change places', async () => {
  await expect(open(await swappingPooler())).rejects.toThrow(/two sessions share one process of PostgreSQL/)
})

test.runIf(process.platform === 'linux')(
  'every session has its transaction ended when its process stands still in it, and is missed when its machine is gone',
  async () => {
    const session = new pg.Client(connectionOf(url, { name: 'Cuelight test', session: [] }))
    await session.connect()
    onTestFinished(() => session.end())
    const { rows } = await session.query(
      'SELECT name, setting FROM pg_settings WHERE name ~ \'^(tcp_|idle_in)\' ORDER BY name COLLATE "C"',
    )
    expect(rows).toEqual([
      { name: 'idle_in_transaction_session_timeout', setting: '5000' },
      { name: 'tcp_keepalives_count', setting: '4' },
      { name: 'tcp_keepalives_idle', setting: '10' },
      { name: 'tcp_keepalives_interval', setting: '5' },
      { name: 'tcp_user_timeout', setting: '30000' },
    ])
  },
)

test('rows that a process holds and says nothing about are free again after five seconds', async () => {
  const [still, other] = [await open(url), await open(url)]
  onTestFinished(async () => void (await Promise.all([still.close(), other.close()])))
  const lock = 4_711
  const holding = still.hot.$transaction(async (tx) => {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(${lock}::bigint)`
    // As when the process is frozen: it begins, and nothing follows.
    await other.hot.$executeRaw`SELECT pg_advisory_xact_lock(${lock}::bigint)`
    await tx.$queryRaw`SELECT 1`
  })
  await expect(holding).rejects.toThrow(/idle-in-transaction timeout|not queryable|closed the connection|terminat/i)
}, 60_000)

test('a transaction may take longer than the five seconds that are usual, as publishing over thousands of runs does', async () => {
  const [, done] = await db.prisma.$transaction([
    db.prisma.$queryRaw`SELECT count(pg_sleep(5.2)) FROM generate_series(1, 1)`,
    db.prisma.$queryRaw`SELECT 1 AS done`,
  ])
  expect(done).toEqual([{ done: 1 }])
}, 60_000)
