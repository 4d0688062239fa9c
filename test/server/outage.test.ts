import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../src/server/config.ts'
import { createLogger } from '../../src/server/logger.ts'
import { Outage } from '../../src/server/outage.ts'
import { serve } from '../../src/server/serve.ts'
import { Silence } from '../../src/store/pool.ts'
import { OwnPostgres } from '../support/own-postgres.ts'

type Line = { level: string; msg: string; why?: string; duty?: string; id?: string; err?: unknown }

/** A log, and what is in it. */
function readLog() {
  const lines: Line[] = []
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const log = createLogger({ level: 'debug', format: 'json' }, { destination })
  return { log, lines, loud: () => lines.filter(({ level }) => level !== 'debug') }
}

/** However busy the machine is. */
const WIDE_MS = 60_000
const TOKEN = 'the-admin-token-of-the-tests'

test('a database that goes away is one line of the log, and one when it is back, however much fails meanwhile', async () => {
  const postgres = await OwnPostgres.open()
  const config = readConfig({ PORT: '0', DATABASE_URL: postgres.url, CUELIGHT_ADMIN_TOKEN: TOKEN })
  if (!config.ok) throw new Error(config.problems.join(' '))
  const { log, lines, loud } = readLog()
  const server = await serve(config.config, { migrate: true, log, announceToken: () => {} })
  onTestFinished(() => server.stop())
  const readyz = async () => (await (await fetch(`${server.url}/readyz`)).json()) as { reasons: string[] }
  await expect.poll(async () => (await readyz()).reasons, { timeout: WIDE_MS }).toEqual([])
  lines.length = 0

  await postgres.stop('SIGQUIT')
  const failures = () => lines.filter(({ duty }) => duty !== undefined).length
  await expect.poll(failures, { timeout: WIDE_MS }).toBeGreaterThan(20)
  expect((await readyz()).reasons).toEqual([expect.stringMatching(/^database: /)])
  expect(loud()).toEqual([
    expect.objectContaining({
      level: 'warn',
      msg: 'the database does not answer; the server waits for it and goes on by itself',
      why: expect.stringMatching(/^[^\n]+$/),
    }),
  ])
  expect(loud()[0]?.err).toBeUndefined()

  // What a client may ask after is found, in short.
  const response = await fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
    body: JSON.stringify({ query: '{ runs(first: 1) { edges { node { id } } } }' }),
  })
  const { errors } = (await response.json()) as { errors: { extensions: { id: string } }[] }
  const id = errors[0]?.extensions.id
  await expect.poll(() => loud().length, { timeout: WIDE_MS }).toBe(2)
  expect(loud()[1]).toMatchObject({
    level: 'warn',
    id,
    why: expect.stringMatching(/^nobody answers at 127\.0\.0\.1:\d+$/),
  })
  expect(loud()[1]?.err).toBeUndefined()

  await postgres.start()
  const isBack = () => loud().some(({ msg }) => /^the database answers again, after \d+ s$/.test(msg))
  await expect.poll(isBack, { timeout: WIDE_MS }).toBe(true)
  await expect.poll(async () => (await readyz()).reasons, { timeout: WIDE_MS }).toEqual([])
  const heardAgain = () => lines.some(({ msg }) => msg === 'other processes are heard again')
  await expect.poll(heardAgain, { timeout: WIDE_MS }).toBe(true)
  expect(loud().map(({ level }) => level)).toEqual(['warn', 'warn', 'info'])
}, 240_000)

test('where the database answers, what failed is logged as it is: one connection may break, or one statement be cancelled', async () => {
  const { log, lines } = readLog()
  const outage = new Outage({ log, ping: async () => {} })
  outage.log.error({ err: new Silence(2_000), duty: 'due runs' }, 'it failed')
  outage.log.warn({ err: new Error('no matter of the database') }, 'something else failed')
  const pair = outage.pair()
  pair.warn('others are not heard')
  pair.info('others are heard again')
  await expect.poll(() => lines.length).toBe(4)
  expect(lines.map(({ level, msg }) => `${level} ${msg}`).sort()).toEqual([
    'error it failed',
    'info others are heard again',
    'warn others are not heard',
    'warn something else failed',
  ])
  await outage.stop()
})

test('a database that says nothing counts as away, and a second outage is said too', async () => {
  const { log, loud } = readLog()
  let isThere = false
  const outage = new Outage({ log, answerMs: 1, ping: async () => (isThere ? undefined : new Promise(() => {})) })
  onTestFinished(() => outage.stop())
  for (const round of [1, 2]) {
    isThere = false
    outage.log.error({ err: new Silence() }, 'it failed')
    await expect.poll(() => loud().length).toBe(round * 2 - 1)
    expect(loud().at(-1)).toMatchObject({ level: 'warn', why: 'no answer within 0.001 s' })
    isThere = true
    await expect.poll(() => loud().length, { timeout: WIDE_MS }).toBe(round * 2)
    expect(loud().at(-1)).toMatchObject({ level: 'info', msg: expect.stringMatching(/^the database answers again/) })
  }
}, 240_000)
