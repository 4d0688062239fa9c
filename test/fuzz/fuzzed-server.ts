import { expect, onTestFinished } from 'vitest'
import { readConfig } from '../../src/server/config.ts'
import { createLogger } from '../../src/server/logger.ts'
import { serve } from '../../src/server/serve.ts'

const TOKEN = 'the-admin-token-of-the-tests'
/** No request of these tests is so large that a server may think about it for longer. */
const PATIENCE_MS = 20_000

export type GraphqlError = { message: string; extensions?: { code?: string } }
export type Answer = { status: number; data: Record<string, unknown> | null; errors: GraphqlError[] }

/** A whole server on a database, and what every answer of it has to be like. */
export class FuzzedServer {
  readonly #url: string
  readonly #faults: string[]

  private constructor(url: string, faults: string[]) {
    this.#url = url
    this.#faults = faults
  }

  static async start(databaseUrl: string): Promise<FuzzedServer> {
    const settings = { PORT: '0', DATABASE_URL: databaseUrl, CUELIGHT_ADMIN_TOKEN: TOKEN, CUELIGHT_STEP_RETRY_MS: '10' }
    const config = readConfig(settings)
    if (!config.ok) throw new Error(config.problems.join(' '))
    const faults: string[] = []
    const destination = { write: (line: string) => void faults.push(line) }
    const log = createLogger({ level: 'error', format: 'json' }, { destination })
    const server = await serve(config.config, { migrate: true, log, announceToken: () => {} })
    onTestFinished(() => server.stop())
    return new FuzzedServer(server.url, faults)
  }

  /** Sends a body as it is, and holds the answer against what every answer has to be like. */
  async send(body: string, because: string): Promise<Answer> {
    const response = await fetch(`${this.#url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', authorization: `Bearer ${TOKEN}` },
      body,
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    const text = await response.text()
    const told = `${because}\n${body.slice(0, 4_000)}\nwas answered ${response.status} ${text.slice(0, 2_000)}`
    expect(response.status, told).toBeLessThan(500)
    const { data = null, errors = [] }: Partial<Answer> = JSON.parse(text)
    expect(data !== null || errors.length > 0, told).toBe(true)
    for (const { message, extensions } of errors) {
      expect(message, told).toMatch(/\S/)
      expect(extensions?.code ?? '', told).not.toBe('INTERNAL_SERVER_ERROR')
    }
    expect(this.#faults, told).toEqual([])
    return { status: response.status, data, errors }
  }

  ask(query: string, variables: unknown, because: string): Promise<Answer> {
    return this.send(JSON.stringify({ query, variables }), because)
  }

  /** It has got through all that unharmed. */
  async expectWell(): Promise<void> {
    expect((await fetch(`${this.#url}/readyz`)).status).toBe(200)
    expect(this.#faults).toEqual([])
  }
}
