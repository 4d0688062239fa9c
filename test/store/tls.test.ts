import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../src/server/config.ts'
import { openDatabase } from '../../src/store/database.ts'
import { migrate } from '../../src/store/migrate.ts'
import { OwnPostgres } from '../support/own-postgres.ts'

/** A certificate that signed itself, for localhost alone, of somebody; good for a hundred years. */
function certificate(name: string) {
  const at = join(import.meta.dirname, 'certificates', name)
  const [file, keyFile] = [`${at}.crt`, `${at}.key`]
  return { file, keyFile, cert: readFileSync(file, 'utf8'), key: readFileSync(keyFile, 'utf8') }
}

const own = certificate('own')
const other = certificate('other')
const mira = certificate('mira')

async function opened(url: string, query: Record<string, string>) {
  const target = new URL(url)
  for (const [name, value] of Object.entries(query)) target.searchParams.set(name, value)
  const db = await openDatabase({ url: target.href, poolSize: 1, runnerPoolSize: 1 })
  onTestFinished(() => db.close())
  const encrypted = await Promise.all(
    [db.prisma, db.hot].map((client) => client.$queryRaw`SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`),
  )
  return { url: target.href, encrypted: encrypted.flat() }
}

test('with sslmode=verify-full, a CA and the right name all connections are encrypted, and migrations go over them too', async () => {
  const postgres = await OwnPostgres.open({ tls: own })
  const atName = postgres.url.replace('127.0.0.1', 'localhost')
  const warnings: string[] = []
  const hear = (warning: Error) => void warnings.push(warning.message)
  process.on('warning', hear)
  onTestFinished(() => void process.off('warning', hear))

  const unknown: Record<string, string>[] = [{}, { sslrootcert: other.file }]
  // `require` and `verify-ca` are no weaker.
  for (const sslmode of ['verify-full', 'require', 'verify-ca', 'prefer']) {
    const { url, encrypted } = await opened(atName, { sslmode, sslrootcert: own.file })
    expect(encrypted).toEqual([{ ssl: true }, { ssl: true }])
    if (sslmode === 'verify-full') await migrate(url)
    await expect(opened(postgres.url, { sslmode, sslrootcert: own.file })).rejects.toThrow(
      /Connect by a name that is in its certificate/,
    )
    for (const ca of unknown)
      await expect(opened(atName, { sslmode, ...ca })).rejects.toThrow(
        /Give the CA that signed its certificate: put sslrootcert=/,
      )
  }
  expect((await opened(postgres.url, { sslmode: 'no-verify' })).encrypted).toEqual([{ ssl: true }, { ssl: true }])
  expect((await opened(postgres.url, {})).encrypted).toEqual([{ ssl: false }, { ssl: false }])
  expect((await opened(postgres.url, { sslmode: 'disable' })).encrypted).toEqual([{ ssl: false }, { ssl: false }])
  expect(warnings).toEqual([])
}, 240_000)

test("a client's certificate and key prove who it is, where PostgreSQL goes by them", async () => {
  const postgres = await OwnPostgres.open({
    tls: { ...own, ca: mira.cert },
    hba: ['hostssl all mira 127.0.0.1/32 cert'],
  })
  const admin = new pg.Client(postgres.url)
  await admin.connect()
  await admin.query('CREATE ROLE mira LOGIN')
  await admin.end()
  const target = new URL(postgres.url.replace('127.0.0.1', 'localhost'))
  target.username = 'mira'
  const server = { sslmode: 'verify-full', sslrootcert: own.file }
  const { encrypted } = await opened(target.href, { ...server, sslcert: mira.file, sslkey: mira.keyFile })
  expect(encrypted).toEqual([{ ssl: true }, { ssl: true }])
  await expect(opened(target.href, server)).rejects.toThrow(/client certificate/)
}, 120_000)

test('a PostgreSQL without TLS is named with what to do', async () => {
  const postgres = await OwnPostgres.open()
  await expect(opened(postgres.url, { sslmode: 'require' })).rejects.toThrow(
    /does not support SSL connections\. Turn on TLS in PostgreSQL \(ssl = on\), or, .* sslmode=disable\.$/,
  )
}, 120_000)

test.each([
  ['sslmode=bogus', 'DATABASE_URL has sslmode=bogus; it may be one of disable, require, '],
  ['sslmode=REQUIRE', 'DATABASE_URL has sslmode=REQUIRE; it may be one of disable, require, '],
  ['ssl=yes', 'DATABASE_URL has ssl=yes; it may be one of true, false, 1, 0.'],
  ['sslmod=require', 'DATABASE_URL has "sslmod"; what is about TLS may be sslmode, ssl, '],
  ['sslMode=require', 'DATABASE_URL has "sslMode"; what is about TLS may be sslmode, ssl, '],
  ['sslrootcert=/no/such.pem', 'DATABASE_URL has sslrootcert=/no/such.pem; it may be the path of a file in PEM form '],
])('an address with ?%s is refused as a setting that is wrong', (query, problem) => {
  const result = readConfig({ DATABASE_URL: `postgresql://me:planted-secret@db.example/cuelight?${query}` })
  expect(result).toEqual({ ok: false, problems: [expect.stringContaining(problem)] })
  expect(JSON.stringify(result)).not.toContain('planted-secret')
})

test('an address that asks for TLS in a way that there is, is taken', () => {
  for (const query of ['sslmode=verify-full', 'sslmode=disable', 'ssl=true', `sslrootcert=${own.file}`])
    expect(readConfig({ DATABASE_URL: `postgresql://me@db.example/cuelight?${query}` })).toMatchObject({ ok: true })
})
