import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from 'graphql-ws'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { createTestDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'
import { served, TOKEN } from './served.ts'

// The proxy of the document, before two servers on one database; run where there is an nginx.

const NGINX = process.env.CUELIGHT_TEST_NGINX ?? 'nginx'
const hasNginx = spawnSync(NGINX, ['-v']).status === 0
const [, documented = ''] = /^```nginx\n(.*?)^```/ms.exec(readFileSync('docs/running.md', 'utf8')) ?? []

/** Its addresses, certificate and paths are ours; the rest is as it stands there. */
async function startProxy(servers: [string, string]) {
  const folder = mkdtempSync(join(tmpdir(), 'cuelight-proxy-'))
  const port = await freePort()
  mkdirSync(join(folder, 'logs'))
  const site = documented
    .replace('10.0.0.11:4000', new URL(servers[0]).host)
    .replace('10.0.0.12:4000', new URL(servers[1]).host)
    .replace('listen 443 ssl', `listen 127.0.0.1:${port}`)
    .replace(/^ *ssl_certificate.*$/gm, '')
    .replaceAll('/var/log/nginx/', `${folder}/logs/`)
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  const config = `daemon off; master_process off; pid ${folder}/pid; error_log stderr crit;
    events {} http { ${temp.join(' ')} access_log off; ${site} }`
  writeFileSync(join(folder, 'nginx.conf'), config)
  const child = spawn(NGINX, ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: ['ignore', 'ignore', 'pipe'] })
  let complaint = ''
  child.stderr.on('data', (data) => {
    complaint += String(data)
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  const url = `http://127.0.0.1:${port}`
  await eventually(async () => {
    expect((await fetch(`${url}/healthz`).catch((error) => `${error} ${complaint}`)).valueOf()).toBeInstanceOf(Response)
  })
  return { url, accessLog: () => readFileSync(join(folder, 'logs/cuelight.log'), 'utf8') }
}

test('the document has one', () => {
  expect(documented).toContain('proxy_pass http://cuelight;')
})

test.skipIf(!hasNginx)(
  'the proxy of the document hands on requests, sockets of pages and streams, and logs no secret',
  async () => {
    const database = await createTestDatabase()
    onTestFinished(() => database.drop())
    const env = { DATABASE_URL: database.url }
    const [one, two] = [await served(env), await served(env)]
    const { url, accessLog } = await startProxy([one.url, two.url])
    const cue = { actionId: 'core.cue', params: { instruction: 'Open the gate' } }
    const runId = await one.startRun(await one.publish('gate', [cue]))
    await one.reaches(runId, 'RUNNING')

    // More than there are servers, so that both are asked.
    for (let times = 0; times < 4; times += 1) {
      const response = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query: '{ viewer { role } }' }),
      })
      expect(await response.json()).toEqual({ data: { viewer: { role: 'ADMIN' } } })
    }

    // As a page that came through the proxy opens it.
    const Page = class extends WebSocket {
      constructor(address: string, protocols: string) {
        super(address, protocols, { origin: url })
      }
    }
    const client = createClient({
      url: `${url.replace('http', 'ws')}/graphql`,
      webSocketImpl: Page,
      connectionParams: { authorization: `Bearer ${TOKEN}` },
      retryAttempts: 0,
    })
    const query = `subscription { runLog(runId: "${runId}") { cursor entries { kind } } }`
    const [first] = [await client.iterate({ query }).next()]
    expect(JSON.stringify(first.value)).toContain('run.created')
    await client.dispose()

    const aborted = new AbortController()
    const stream = await fetch(`${url}/graphql?query=${encodeURIComponent(query)}`, {
      headers: { authorization: `Bearer ${TOKEN}`, accept: 'text/event-stream' },
      signal: aborted.signal,
    })
    // It comes although the stream goes on: nothing is kept back until there is more.
    let read = ''
    for await (const piece of stream.body ?? []) {
      read += Buffer.from(piece).toString()
      if (read.includes('run.created')) break
    }
    aborted.abort()
    expect(read).toContain('event: next')

    const secret = 'cuelight_a-secret-that-nobody-may-read'
    expect((await fetch(`${url}/calendar.ics?secret=${secret}`)).status).toBe(401)
    await eventually(() => expect(accessLog()).toContain('/calendar.ics 401'))
    expect(accessLog()).not.toContain(secret)
    for (const path of ['/metrics', '/readyz']) expect((await fetch(url + path)).status).toBe(404)
  },
)
