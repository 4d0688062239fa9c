import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeAll, expect, inject, onTestFinished, test } from 'vitest'
import { createAuthenticate } from '../../src/server/authenticate.ts'
import { createLogger } from '../../src/server/logger.ts'
import type { Database } from '../../src/store/database.ts'
import { FakeClock } from '../../src/testing/fake-clock.ts'
import { wiredApi } from '../server/wired-api.ts'
import { testDatabase } from '../support/database.ts'

const NOW = Date.parse('2026-03-06T20:00:00Z')
const SECRET = 'the-secret-token-of-an-admin'
const log = createLogger({ level: 'silent', format: 'json' })
let db: Database
let url: string
beforeAll(async () => {
  ;({ db } = await testDatabase())
  url = await wiredApi({ db, clock: new FakeClock(NOW), log })
})

/** The command as a process of its own: what it printed, and its exit code. */
async function token(args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [join(inject('build'), 'cli/main.js'), 'token', ...args], {
    env: { PATH: process.env.PATH, CUELIGHT_URL: url, CUELIGHT_TOKEN: SECRET, TZ: 'UTC', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let [out, err] = ['', '']
  child.stdout.on('data', (data) => {
    out += String(data)
  })
  child.stderr.on('data', (data) => {
    err += String(data)
  })
  const [code] = await once(child, 'close')
  return { code, out, err }
}

test('makes a token, alone on standard output, that works', async () => {
  const { code, out, err } = await token([
    'create',
    'shard one',
    '--role',
    'EMITTER',
    '--expires',
    '2026-04-01T00:00:00Z',
  ])
  expect(err).toMatch(/^Token "shard one" \(EMITTER, tok_\S+\) holds until 2026-04-01T00:00:00.000Z\. .*\n$/)
  expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^cuelight_[\w-]{43}\n$/) })
  expect(err).not.toContain(out.trim())
  const authenticate = createAuthenticate({ db, adminToken: null, checkJwt: null, now: () => NOW, log })
  expect(await authenticate(`Bearer ${out.trim()}`)).toMatchObject({
    caller: { actor: { kind: 'TOKEN', name: 'shard one' }, role: 'EMITTER' },
  })
})

/** Makes a token, and answers its id. */
async function made(name: string, ...more: string[]): Promise<string> {
  const { out } = await token(['create', name, '--role', 'VIEWER', '--json', ...more])
  return JSON.parse(out).apiToken.id
}

test('lists tokens that hold, and with --all those that do no more, and none of their secrets', async () => {
  const [holding, gone, late] = [
    await made('list one'),
    await made('list gone'),
    await made('list late', '--expires', '9000-01-01T00:00:00Z'),
  ]
  expect(await token(['revoke', gone])).toEqual({
    code: 0,
    out: `Token "list gone" (VIEWER, ${gone}) is revoked; it is refused from now on.\n`,
    err: '',
  })
  const { code, out, err } = await token(['list'])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toMatch(/^TOKEN {37}ROLE +MADE +LAST USED {2}HOLDS +NAME\n/)
  expect(out).toMatch(new RegExp(`^${holding} {2}VIEWER +2026-03-06 20:00 {2}never {6}until it is revoked +list`, 'm'))
  expect(out).toMatch(new RegExp(`^${late} .* until 9000-01-01 00:00 +list late$`, 'm'))
  expect(out).not.toContain(gone)
  expect((await token(['list', '--all'])).out).toMatch(
    new RegExp(`^${gone} .* revoked 2026-03-06 20:00 +list gone$`, 'm'),
  )
  const listed = JSON.parse((await token(['list', '--all', '--json'])).out)
  expect(listed).toContainEqual(expect.objectContaining({ id: gone, revokedAt: '2026-03-06T20:00:00.000Z' }))
  expect(JSON.stringify(listed) + out).not.toMatch(/cuelight_/)
})

test('revokes by a name that one token has, and does nothing where several or none have it', async () => {
  const first = await made('twin')
  const { err } = await token(['create', ' twin ', '--role', 'VIEWER'])
  expect(err).toMatch(new RegExp(`^"twin" is the name of ${first} already: .*"cuelight token revoke" ends one`))
  const several = await token(['revoke', 'twin'])
  expect(several).toMatchObject({
    code: 2,
    out: '',
    err: expect.stringMatching(/^2 tokens have the name "twin"; give the id/),
  })
  expect(several.err).toContain(first)
  expect(await token(['revoke', first])).toMatchObject({ code: 0 })
  expect(await token(['revoke', 'twin'])).toMatchObject({ code: 0, out: expect.stringMatching(/^Token "twin"/) })
  expect(await token(['revoke', 'twin'])).toMatchObject({
    code: 4,
    err: expect.stringMatching(/"cuelight token list"/),
  })
  expect((await token(['create', 'twin', '--role', 'VIEWER'])).err).toMatch(/^Token "twin"/)
  const absent = '01a2289b-7bc3-7549-a8d4-170961bbd5d5'
  expect(await token(['revoke', `tok_${absent}`])).toMatchObject({ code: 4, err: expect.stringMatching(/no token/) })
  expect(await token(['revoke', `run_${absent}`])).toMatchObject({
    code: 2,
    err: expect.stringMatching(/is the id of a run; give a token/),
  })
})

test('says what the server says against it, and exits with 3', async () => {
  expect(await token(['create', ' ', '--role', 'VIEWER'])).toEqual({
    code: 3,
    out: '',
    err: expect.stringMatching(/^name: The name must not be empty;/),
  })
  const forbidden = await token(['create', 'x', '--role', 'ADMIN'], { CUELIGHT_TOKEN: `${SECRET}-viewer` })
  expect(forbidden).toEqual({ code: 3, out: '', err: 'createApiToken needs the role ADMIN; this token has VIEWER.\n' })
})

test('without a token, a server or Cuelight it says what to do, and shows no token', async () => {
  const elsewhere = createServer((_request, response) => response.writeHead(404).end('<html>'))
  elsewhere.listen(0, '127.0.0.1')
  await once(elsewhere, 'listening')
  const other = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`
  const create = ['create', 'x', '--role', 'VIEWER']
  expect((await token(create, { CUELIGHT_TOKEN: '' })).err).toMatch(/^A token is needed: give it as --token/)
  const notOurs = await token([...create, '--url', other])
  expect(notOurs.err).toMatch(/is no Cuelight \(status 404\); correct --url/)
  elsewhere.close()
  const gone = await token([...create, '--url', other])
  expect(gone).toMatchObject({ code: 1, err: expect.stringMatching(/cannot be reached \(ECONNREFUSED\)\. Start it/) })
  expect(notOurs.err + gone.err).not.toContain(SECRET)
})

test('with the role CALENDAR it says where the secret goes, without showing it twice', async () => {
  const { code, out, err } = await token(['create', 'phones', '--role', 'CALENDAR'])
  expect(code).toBe(0)
  expect(out).toMatch(/^cuelight_[\w-]{43}\n$/)
  expect(err).toContain(`A calendar subscribes to ${url}/calendar.ics?secret=… with it`)
  expect(err).not.toContain(out.trim())
})
