// A world in a process of its own, as it could be in any language: plain HTTP, and nothing that is not Node's.
//
//   HARBOUR_SECRET=whsec_… PORT=4100 node examples/harbour/world.mjs
//   CUELIGHT_REMOTE_MODULES='[{"url": "http://127.0.0.1:4100", "secret": "whsec_…"}]' npm start

import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { pathToFileURL } from 'node:url'

const MANIFEST = {
  id: 'harbour',
  actions: [
    {
      id: 'harbour.ring',
      label: 'Ring the harbour bell',
      version: 1,
      risk: 'notify',
      budgetMs: 2_000,
      params: {
        type: 'object',
        properties: { times: { type: 'integer', minimum: 1, maximum: 12 } },
        required: ['times'],
        additionalProperties: false,
      },
    },
    {
      id: 'harbour.moor',
      label: 'Moor ships',
      description: 'They lie at the quay until the event is over.',
      version: 1,
      risk: 'change',
      reversible: 'revert',
      budgetMs: 5_000,
      supportsVerify: true,
      params: {
        type: 'object',
        properties: { ship: { type: 'string', minLength: 1 }, count: { type: 'integer', minimum: 1, maximum: 20 } },
        required: ['ship', 'count'],
        additionalProperties: false,
      },
      dimensions: ['ships'],
      cost: { ships: 'count' },
    },
  ],
  triggers: [
    {
      id: 'harbour.sighted',
      label: 'Ship sighted',
      payload: { type: 'object', properties: { ship: { type: 'string' } }, required: ['ship'] },
    },
  ],
}
const SHIPS = ['cog', 'galley', 'longship']

/** Older requests, and those of the future, may be somebody's who listened and sends them again. */
const TOLERANCE_SECONDS = 300

/** Whether a request comes from one who knows the secret, as the Standard Webhooks specification has it. */
export function isSigned({ headers, body }, secret) {
  const { 'webhook-id': id = '', 'webhook-timestamp': at = '', 'webhook-signature': signatures = '' } = headers
  if (!(Math.abs(Date.now() / 1000 - Number(at)) <= TOLERANCE_SECONDS)) return false
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const expected = createHmac('sha256', key).update(`${id}.${at}.${body}`).digest()
  return signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature.replace(/^v1,/, ''), 'base64')
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}

/** Answers requests, given as `{method, path, headers, body}`, with `{status, answer}`. */
export function createHarbour({ secret, say }) {
  /** What lies at the quay, by the key of the step that moored it. */
  const quay = new Map()
  /** What was answered to each request that did something, by its webhook-id: a repeat does it once. */
  const answered = new Map()

  const refuse = (status, error) => ({ status, answer: { ok: false, error } })

  function perform({ actionId, params, idempotencyKey, verify }) {
    if (actionId === 'harbour.ring') {
      say(`the bell: ${Array.from({ length: params.times }, () => 'dong').join(' ')}`)
      return { status: 200, answer: { ok: true } }
    }
    if (actionId !== 'harbour.moor') return refuse(404, `there is no action ${actionId}`)
    if (!SHIPS.includes(params.ship)) return refuse(400, `no ${params.ship} is known here, but ${SHIPS.join(', ')}`)
    if (verify) return { status: 200, answer: { ok: true } }
    const ref = `berth-${quay.size + 1}`
    quay.set(idempotencyKey, { ref, ...params })
    say(`${params.count} × ${params.ship} at ${ref}`)
    return { status: 200, answer: { ok: true, resources: [{ kind: 'mooring', ref }], output: { berth: ref } } }
  }

  // What is gone already is as good as taken back. A placeholder stands for a step that never said what it made: the key
  // tells, as it does here for everything.
  function revert({ idempotencyKey }) {
    const moored = quay.get(idempotencyKey)
    quay.delete(idempotencyKey)
    if (moored !== undefined) say(`gone again: ${moored.count} × ${moored.ship} (${moored.ref})`)
    return { status: 200, answer: { ok: true } }
  }

  return (request) => {
    if (!isSigned(request, secret))
      return refuse(401, 'the signature is not right; see that both sides have one secret')
    const route = `${request.method} ${request.path}`
    if (route === 'GET /manifest') return { status: 200, answer: MANIFEST }
    const act = { 'POST /perform': perform, 'POST /revert': revert }[route]
    if (act === undefined) return refuse(404, `there is nothing at ${route}`)

    const body = JSON.parse(request.body)
    // Asks and does nothing; each time it is asked it may be answered differently.
    if (body.verify) return act(body)
    const id = request.headers['webhook-id']
    const result = answered.get(id) ?? act(body)
    // A refusal did nothing, and may turn out otherwise the next time.
    if (result.answer.ok) answered.set(id, result)
    return result
  }
}

/** Serves a harbour; `handle` is what `createHarbour` makes. */
export function serveHarbour(handle, { port = 0 } = {}) {
  const server = createServer(async (request, response) => {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const { method, url: path, headers } = request
    const { status, answer } = handle({ method, path, headers, body: Buffer.concat(chunks).toString() })
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
  return new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve(server)))
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { HARBOUR_SECRET: secret, PORT: port = '4100' } = process.env
  if (secret === undefined)
    throw new Error('HARBOUR_SECRET is not set; make one: echo "whsec_$(openssl rand -base64 32)"')
  const say = (sentence) => console.log(`[harbour] ${sentence}`)
  const server = await serveHarbour(createHarbour({ secret, say }), { port: Number(port) })
  console.log(`[harbour] open at http://127.0.0.1:${server.address().port}`)
}
