// The module of the servers under test: each call is told to a world outside the process, which says what comes of it.

/** Where the world listens. */
const WORLD_URL = process.env.WORLD_URL ?? ''

type Envelope = { runId: string | null; stepId: string | null; idempotencyKey: string; params: { does: string } }

async function perform(envelope: Envelope, { signal }: { signal: AbortSignal }): Promise<unknown> {
  const { runId, stepId, idempotencyKey, params } = envelope
  const response = await fetch(WORLD_URL, {
    method: 'POST',
    signal,
    body: JSON.stringify({ runId, stepId, idempotencyKey, does: params.does }),
  })
  return response.json()
}

type Request = { resource: { id: string; kind: string; ref: string }; stepId: string; idempotencyKey: string }

async function revert(request: Request, { signal }: { signal: AbortSignal }): Promise<unknown> {
  const response = await fetch(WORLD_URL, { method: 'POST', signal, body: JSON.stringify(request) })
  return response.json()
}

const params = { type: 'object', required: ['does'], properties: { does: { type: 'string' } } }
const common = { label: 'Act', version: 1, risk: 'change', budgetMs: 20_000, params, perform }

// biome-ignore lint/style/noDefaultExport: a module is a default export
export default {
  id: 'world',
  actions: [
    { id: 'world.act', ...common },
    { id: 'world.spawn', ...common, reversible: 'revert', revert },
  ],
}
