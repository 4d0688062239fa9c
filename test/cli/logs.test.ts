import { once } from 'node:events'
import { expect, test } from 'vitest'
import { followLog } from '../../src/cli/follow-log.ts'
import { TOKEN } from '../server/served.ts'
import { cuttable } from './cuttable.ts'
import { quizServer } from './quiz-server.ts'

const { ask, cuelight, json, start, publishPhases, until, url } = await quizServer()
await publishPhases(
  'quiz',
  [
    {
      key: 'doors',
      steps: [
        { actionId: 'core.cue', label: 'Welcome', params: { instruction: 'Welcome\u001b[31m everybody.\nNow.' } },
        { actionId: 'core.log', params: { message: 'The last question.' } },
        { actionId: 'core.cue', label: 'Goodbye', params: { instruction: 'Say goodbye.' } },
      ],
    },
  ],
  { timeZone: 'Europe/Berlin' },
)

let runs = 0
/** A run of its own that waits at its first cue. */
async function atCue(): Promise<string> {
  const { run } = await json('start', 'quiz', '--scope', `run ${++runs}`)
  await until(run.id, ({ waitingCues }) => waitingCues === 1)
  return run.id
}

async function confirmNext(id: string): Promise<void> {
  await until(id, ({ waitingCues }) => waitingCues === 1)
  await json('confirm', id)
}

const linesOf = (out: string) => out.trimEnd().split('\n')

test('a log is printed in order, with the clocks of the reader and those of the event where they differ', async () => {
  const id = await atCue()
  const entries = linesOf((await cuelight(['logs', id, '--json'])).out).map((line) => JSON.parse(line))
  expect(entries.map(({ line }) => line)).toEqual(entries.map((_, index) => index + 1))
  expect(entries[0]).toMatchObject({ kind: 'run.created', actor: { kind: 'TOKEN', name: 'admin' }, detail: {} })
  const { code, out, err } = await cuelight(['logs', id])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  const [first = ''] = linesOf(out)
  const [, date, time] =
    /^(\S+) (\S+?) \((?:\S+ )?\d\d:\d\d Europe\/Berlin\) {2}run\.created {9}A run of version 1/.exec(first) ?? []
  expect(`${date}T${time}Z`).toBe(entries[0].at)
  const inBerlin = await cuelight(['logs', id], { env: { TZ: 'Europe/Berlin' } })
  expect(inBerlin.out).toMatch(/^[\d-]+ [\d:.]+ {2}run\.created/)
  expect(linesOf((await cuelight(['logs', id, '--after', '2', '--json'])).out)).toHaveLength(entries.length - 2)
  const last = linesOf((await cuelight(['logs', id, '-n', '2', '--json'])).out).map((line) => JSON.parse(line))
  expect(last).toEqual(entries.slice(-2))
})

test('what others wrote cannot work the terminal, and stays on its line', async () => {
  const { out } = await cuelight(['logs', await atCue()])
  expect(out).toContain('A person is asked: Welcome [31m everybody. Now.')
  expect(out).not.toContain('\u001b')
})

test('logs -f goes on over a lost connection: each line once, in order, to the end of the run', async () => {
  const id = await atCue()
  const way = await cuttable(url)
  const following = start(['logs', id, '-f', '--url', way.url])
  await following.wrote('Welcome')
  way.cut()
  await following.wrote(/^The connection is gone \(.+\); trying to go on behind line \d+ …\n/, 'err')
  await confirmNext(id)
  await way.refusals(2)
  way.restore()
  await following.wrote('The last question.')
  await confirmNext(id)
  const { code, out, err } = await following.ended
  expect(code).toBe(0)
  expect(err).toMatch(/^The connection is gone .*\nThe connection is back\.\nThe run is COMPLETED\.\n$/)
  expect(out).toBe((await cuelight(['logs', id])).out)
})

test('logs -f --json streams a value per line; a run that is cancelled ends it with 5', async () => {
  const id = await atCue()
  const following = start(['logs', id, '-f', '--json', '--last', '1'])
  await following.wrote('step.parked')
  await json('cancel', id, '--reason', 'enough')
  const { code, out, err } = await following.ended
  expect({ code, err }).toEqual({ code: 5, err: '' })
  const kinds = linesOf(out).map((line) => JSON.parse(line).kind)
  expect(kinds[0]).toBe('step.parked')
  expect(kinds).toContain('run.control')
})

test('a log of a run that has ended is followed to its end at once', async () => {
  const id = await atCue()
  await json('cancel', id)
  expect((await cuelight(['logs', id, '-f'])).code).toBe(5)
  expect((await cuelight(['logs', id])).code).toBe(0)
})

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s ends logs -f in order, with %i', async (signal, exit) => {
  const id = await atCue()
  const following = start(['logs', id, '-f'])
  await following.wrote('step.parked')
  following.child.kill(signal)
  expect(await following.ended).toMatchObject({ code: exit, err: '' })
})

test('Ctrl-C ends it while the connection is lost too', async () => {
  const id = await atCue()
  const way = await cuttable(url)
  const following = start(['logs', id, '-f', '--url', way.url])
  await following.wrote('step.parked')
  way.cut()
  await way.refusals(2)
  following.child.kill('SIGINT')
  expect((await following.ended).code).toBe(130)
})

test('who reads no more ends it silently', async () => {
  const id = await atCue()
  const following = start(['logs', id, '-f'])
  await once(following.child.stdout, 'data')
  following.child.stdout.destroy()
  await json('cancel', id)
  expect(await following.ended).toMatchObject({ code: 0, err: '' })
})

test('a token that is revoked ends it with a sentence', async () => {
  const id = await atCue()
  const { token, apiToken } = await json('token', 'create', 'reader', '--role', 'VIEWER')
  const following = start(['logs', id, '-f', '--token', token])
  await following.wrote('step.parked')
  await ask(`mutation Revoke { revokeApiToken(input: { id: "${apiToken.id}" }) { __typename } }`)
  expect(await following.ended).toMatchObject({
    code: 3,
    err: 'The server does not take this token; give another as --token or in CUELIGHT_TOKEN.\n',
  })
})

test('a connection that goes dead without a word is found out, and left for another', async () => {
  const id = await atCue()
  const way = await cuttable(url)
  const told: string[] = []
  const following = followLog(
    { url: way.url, token: TOKEN },
    {
      runId: id,
      after: 0,
      signal: new AbortController().signal,
      onLost: (_why, line) => {
        told.push(`lost behind ${line}`)
        way.thaw()
      },
      onBack: () => told.push('back'),
      patience: { pingMs: 100, pongMs: 2_000 },
    },
  )
  const lines: number[] = []
  for await (const event of following) {
    if (event.kind === 'ended') break
    lines.push(...event.lines.map(({ line }) => line))
    if (told.length > 0 || !event.lines.some(({ kind }) => kind === 'step.parked')) continue
    way.freeze()
    await json('cancel', id)
  }
  expect(told).toEqual([expect.stringMatching(/^lost behind \d+$/), 'back'])
  expect(lines).toEqual(lines.map((_, index) => index + 1))
  expect(lines.length).toBe(linesOf((await cuelight(['logs', id])).out).length)
})

test('where sockets are not let through it gives up after some tries, and says so', async () => {
  const way = await cuttable(url)
  way.cut()
  let told = 0
  const following = followLog(
    { url: way.url, token: TOKEN },
    {
      runId: 'run_01a2289b-7bc3-7549-a8d4-170961bbd5d5',
      after: 0,
      signal: new AbortController().signal,
      onLost: () => {
        told += 1
      },
      onBack: () => {},
    },
  )
  await expect(following.next()).rejects.toMatchObject({ code: 'UNREACHABLE', exit: 1 })
  expect(told).toBe(1)
})
