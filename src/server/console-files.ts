import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isKnown } from './entity-tag.ts'
import { welcomePage } from './welcome-page.ts'

/** Where `npm run build` puts the console. Beside the sources it is the console's own source, which has no `assets`. */
const FOLDER = fileURLToPath(new URL('../console', import.meta.url))

/** Stands in the built page for what the server makes up for each answer. */
const NONCE = /CSP_NONCE/g

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}

/** What a browser may say it takes, the smallest first, and how such a file is called. */
const ENCODINGS = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
]

/** Hashed names: what they hold never changes. */
const FOREVER = 'public, max-age=31536000, immutable'

type ConsoleFile = { type: string; path: string; isHashed: boolean; encodings: ReadonlySet<string> }

export type ConsoleFiles = {
  /** Answers the request if it is for a file of the console, or for a page of it. False: it is for something else. */
  answer(request: IncomingMessage, response: ServerResponse, path: string): boolean
}

/** The built console in a folder; where there is none, a page at `/` that says how it is made. */
export function openConsole(folder = FOLDER): ConsoleFiles {
  // What is not in this list is not served: no path of a request reaches the disk.
  const files = existsSync(join(folder, 'assets')) ? listFiles(folder) : new Map<string, ConsoleFile>()
  const index = files.get('/index.html')
  const page = index === undefined ? null : readFileSync(index.path, 'utf8')
  files.delete('/index.html')
  const tags = new Map<string, string>()

  return {
    answer(request, response, path) {
      const file = files.get(path)
      if (file !== undefined) {
        sendFile(request, response, { file, tags })
        return true
      }
      if (path !== '/' && !isVisit(request, path)) return false
      if (page === null) {
        if (path !== '/') return false
        send(response, welcomePage.text, { ...welcomePage.headers, 'content-type': welcomePage.type })
        return true
      }
      const nonce = randomBytes(16).toString('base64')
      send(response, page.replace(NONCE, nonce), {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': policyWith(nonce),
        'cross-origin-opener-policy': 'same-origin',
      })
      return true
    },
  }
}

/** Somebody opens an address of the console in a browser, which then says what is there; programs are told by status. */
function isVisit(request: IncomingMessage, path: string): boolean {
  return !path.startsWith('/assets/') && (request.headers.accept ?? '').includes('text/html')
}

/** Scripts and connections of our own alone; styles also those that the component library makes, by the nonce. */
const policyWith = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

function listFiles(folder: string): Map<string, ConsoleFile> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'))
  const known = new Set(names)
  const files = new Map<string, ConsoleFile>()
  for (const name of names) {
    const type = TYPES[extname(name)]
    if (type === undefined) continue
    const encodings = new Set(
      ENCODINGS.filter(({ suffix }) => known.has(name + suffix)).map((encoding) => encoding.name),
    )
    files.set(`/${name}`, { type, path: join(folder, name), isHashed: name.startsWith('assets/'), encodings })
  }
  return files
}

function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  { file, tags }: { file: ConsoleFile; tags: Map<string, string> },
): void {
  const accepted = String(request.headers['accept-encoding'] ?? '')
  const encoding = ENCODINGS.find(({ name }) => file.encodings.has(name) && accepts(accepted, name))
  const path = file.path + (encoding?.suffix ?? '')
  const bytes = readFileSync(path)
  const tag = tags.get(path) ?? `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
  tags.set(path, tag)
  const headers = {
    'content-type': file.type,
    'cache-control': file.isHashed ? FOREVER : 'no-cache',
    etag: tag,
    ...(file.encodings.size > 0 ? { vary: 'accept-encoding' } : {}),
  }
  if (isKnown(request.headers['if-none-match'], tag)) {
    response.writeHead(304, headers).end()
    return
  }
  send(response, bytes, { ...headers, ...(encoding === undefined ? {} : { 'content-encoding': encoding.name }) })
}

/** Named, and not with the weight 0 that refuses it. */
function accepts(accepted: string, name: string): boolean {
  const stated = accepted
    .split(',')
    .map((part) => part.split(';').map((it) => it.trim().toLowerCase()))
    .find(([coding]) => coding === name)
  return stated !== undefined && !stated.slice(1).some((parameter) => /^q=0(\.0*)?$/.test(parameter))
}

function send(response: ServerResponse, body: string | Buffer, headers: Record<string, string>): void {
  response.writeHead(200, {
    'cache-control': 'no-store',
    ...headers,
    'content-length': Buffer.byteLength(body),
  })
  response.end(response.req.method === 'HEAD' ? undefined : body)
}
