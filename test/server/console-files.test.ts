import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openConsole } from '../../src/server/console-files.ts'
import { startServer } from './small-api.ts'

const folder = mkdtempSync(join(tmpdir(), 'cuelight-console-'))
afterAll(() => rmSync(folder, { recursive: true }))
const SCRIPT = 'assets/index-1a2b3c4d.js'
mkdirSync(join(folder, 'assets'))
for (const [name, text] of [
  ['index.html', '<meta property="csp-nonce" nonce="CSP_NONCE"><title>The console</title>'],
  [SCRIPT, 'console.log(1)'],
  [`${SCRIPT}.br`, 'as brotli'],
  [`${SCRIPT}.gz`, 'as gzip'],
  ['icon.svg', '<svg/>'],
  ['secret.env', 'not to be served'],
] as const)
  writeFileSync(join(folder, name), text)

const built = { files: openConsole(folder) }
const BROWSER = { accept: 'text/html,application/xhtml+xml' }

/** As it is sent, which fetch would put in order. */
function get(url: string, path: string, headers: Record<string, string> = {}, method = 'GET') {
  return new Promise<{ status: number; headers: Record<string, unknown>; body: string }>((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const asking = request({ hostname, port, path, headers, method }, (response) => {
      let body = ''
      response.on('data', (part) => {
        body += part
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }))
    })
    asking.on('error', reject)
    asking.end()
  })
}

test('the console is at /, with a policy whose nonce is another one each time', async () => {
  const { url } = await startServer(built)
  const pages = await Promise.all([get(url, '/'), get(url, '/')])
  const nonces = pages.map(({ headers, body }) => {
    const nonce = /nonce="([^"]+)"/.exec(body)?.[1] ?? ''
    expect(headers['content-security-policy']).toContain(`style-src 'self' 'nonce-${nonce}'`)
    expect(headers['content-security-policy']).toContain("script-src 'self';")
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
    return nonce
  })
  expect(nonces[0]).toMatch(/^[\w+/]{22}==$/)
  expect(nonces[0]).not.toBe(nonces[1])
})

test('what has a hash in its name is kept for ever, and comes as the browser takes it', async () => {
  const { url } = await startServer(built)
  const file = (encoding: string) => get(url, `/${SCRIPT}`, { 'accept-encoding': encoding })
  expect(await file('gzip, deflate, br')).toMatchObject({
    status: 200,
    body: 'as brotli',
    headers: {
      'content-type': 'text/javascript; charset=utf-8',
      'content-encoding': 'br',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
    },
  })
  expect(await file('br;q=0, gzip;q=0.5')).toMatchObject({ body: 'as gzip', headers: { 'content-encoding': 'gzip' } })
  const plain = await file('identity')
  expect(plain).toMatchObject({ body: 'console.log(1)' })
  expect(plain.headers['content-encoding']).toBeUndefined()
})

test('what has none is asked for again, and answered with 304 while it is the same', async () => {
  const { url } = await startServer(built)
  const { headers } = await get(url, '/icon.svg')
  expect(headers).toMatchObject({ 'content-type': 'image/svg+xml', 'cache-control': 'no-cache' })
  const tag = String(headers.etag)
  expect(tag).toMatch(/^"[\w-]{22}"$/)
  expect(await get(url, '/icon.svg', { 'if-none-match': tag })).toMatchObject({ status: 304, body: '' })
  expect(await get(url, '/icon.svg', { 'if-none-match': '"another"' })).toMatchObject({ status: 200, body: '<svg/>' })
  const head = await get(url, '/icon.svg', {}, 'HEAD')
  expect(head).toMatchObject({ status: 200, body: '', headers: { 'content-length': '6' } })
})

test('a browser that is sent to a page of the console gets the console, and a program a 404', async () => {
  const { url } = await startServer(built)
  for (const path of ['/cues', '/runs/run_1', '/nowhere'])
    expect(await get(url, path, BROWSER)).toMatchObject({ status: 200, body: expect.stringContaining('The console') })
  for (const headers of [undefined, { accept: '*/*' }, { accept: 'application/json' }])
    expect(await get(url, '/cues', headers)).toMatchObject({ status: 404, body: expect.stringContaining('/graphql') })
  expect(await get(url, '/assets/gone-1a2b3c4d.js', BROWSER)).toMatchObject({ status: 404 })
  expect(await get(url, '/cues', BROWSER, 'POST')).toMatchObject({ status: 404 })
})

test.each(['/healthz', '/readyz', '/metrics', '/graphql?query={hello}'])(
  'the console does not stand before %s',
  async (path) => {
    const { url } = await startServer(built)
    const { body } = await get(url, path, { ...BROWSER, accept: 'text/html;q=0.1, application/json' })
    expect(body).not.toContain('The console')
  },
)

test.each([
  '/../secret.env',
  '/assets/../secret.env',
  '/secret.env',
  '/assets/%2e%2e/secret.env',
  '/index-1a2b3c4d.js',
])('nothing but the console is served: %s', async (path) => {
  const { url } = await startServer(built)
  expect(await get(url, path)).toMatchObject({ status: 404 })
})

test('a server whose console is not built says so at /, and nowhere else', async () => {
  const { url } = await startServer()
  const page = await get(url, '/', BROWSER)
  expect(page).toMatchObject({ status: 200, body: expect.stringContaining('npm run build') })
  expect(await get(url, '/cues', BROWSER)).toMatchObject({ status: 404 })
})
