import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { quizServer } from './quiz-server.ts'

const { ask, cuelight, env, json, publishPhases, until } = await quizServer()
const cue = (instruction: string) => ({ actionId: 'core.cue', label: 'Welcome', params: { instruction } })
await publishPhases('quiz', [{ key: 'doors', steps: [cue('Welcome everybody.')] }], { timeZone: 'Europe/Berlin' })

async function atCue(...args: string[]): Promise<string> {
  const { run } = await json('start', 'quiz', ...args)
  await until(run.id, ({ waitingCues }) => waitingCues === 1)
  return run.id
}

test('runs lists those under way, and others where they are asked for', async () => {
  expect(await cuelight(['runs'])).toEqual({
    code: 0,
    out: 'There are no such runs. "cuelight runs --all" shows those to come and those that ended.\n',
    err: '',
  })
  const waiting = await atCue('--scope', 'yew')
  const rehearsal = await atCue('--rehearsal')
  const planned = (await json('start', 'quiz', '--at', '2099-07-01T20:00:00Z')).run.id
  const ids = async (...args: string[]) => (await json('runs', ...args)).map(({ id }: { id: string }) => id)
  expect((await ids()).sort()).toEqual([waiting, rehearsal].sort())
  expect((await ids('--all')).sort()).toEqual([waiting, rehearsal, planned].sort())
  expect(await ids('--status', 'SCHEDULED', 'PAUSED')).toEqual([planned])
  expect(await ids('--rehearsal')).toEqual([rehearsal])
  expect(await ids('--scope', 'yew', '--event', 'quiz', '--waiting')).toEqual([waiting])
  expect(await ids('--all', '--from', '2099-01-01T00:00:00Z', '--to', '2100-01-01T00:00:00Z')).toEqual([planned])
  expect(await cuelight(['runs', '--all', '--first', '1'])).toMatchObject({
    code: 0,
    err: expect.stringMatching(/^There are more; /),
  })
  const { out } = await cuelight(['runs', '--all', '--scope', ''])
  const [head = '', ...rows] = out.trimEnd().split('\n')
  expect(head).toMatch(/^RUN {39}STATUS +HEALTH {2}START +SCOPE {2}EVENT +WAITS FOR$/)
  expect(rows).toHaveLength(2)
  expect(rows[0]).toMatch(
    new RegExp(
      `^${planned} {2}SCHEDULED {2}OK +2099-07-01 20:00 \\(22:00 Europe/Berlin\\) +quiz +Waits for its start\\.$`,
    ),
  )
  // The same column of each row begins below its head.
  for (const row of rows) expect(row.slice(head.indexOf('EVENT'))).toMatch(/^quiz/)
})

test('what runs is asked for wrongly is refused before anybody is asked, or is not there', async () => {
  for (const args of [
    ['--status', 'BUSY'],
    ['--all', '--status', 'PAUSED'],
    ['--first', '0'],
    ['--first', '501'],
    ['--first', 'x'],
    ['--from', 'noon'],
  ]) {
    expect((await cuelight(['runs', ...args])).code, args.join(' ')).toBe(2)
  }
  for (const list of ['RUNNING,PAUSED', 'RUNNING, PAUSED'])
    expect(await cuelight(['runs', '--status', list])).toMatchObject({
      code: 2,
      err: expect.stringContaining('Write them apart: --status RUNNING PAUSED.'),
    })
  expect((await cuelight(['runs', '--status', 'PAUSED', 'BUSY'])).err).toContain('Allowed choices are SCHEDULED, ')
  expect((await cuelight(['runs', '--event', 'quizz'])).code).toBe(4)
})

test('events lists those that there are, with when each is next, and archived ones where they are asked for', async () => {
  const weekly = { recurring: { start: '2020-01-03T20:00', rule: 'FREQ=WEEKLY;BYDAY=FR' } }
  const phases = [{ key: 'doors', steps: [cue('Welcome everybody.')] }]
  const spec = { schedule: weekly, phases }
  await publishPhases('weekly', phases, { spec, timeZone: 'Asia/Kolkata', title: 'Every \u001b[31mfriday' })
  const old = await publishPhases('old', phases)
  await ask(`mutation Archive { archiveDefinition(input: { id: "${old}" }) { __typename } }`)
  const { code, out, err } = await cuelight(['events'])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out.split('\n')).toEqual([
    expect.stringMatching(/^EVENT {3}STATE {2}VERSION {2}NEXT +TITLE$/),
    expect.stringMatching(/^quiz {4}READY {2}1 {8}.* {2}Quiz night$/),
    expect.stringMatching(
      /^weekly {2}READY {2}1 {8}\d{4}-\d\d-\d\d 14:30 \(20:00 Asia\/Kolkata\) {2,3}Every {2}\[31mfriday$/,
    ),
    '',
  ])
  const slugs = async (...args: string[]) => (await json('events', ...args)).map(({ slug }: { slug: string }) => slug)
  expect(await slugs('--all')).toEqual(['old', 'quiz', 'weekly'])
  expect(await slugs('--search', 'friday')).toEqual(['weekly'])
  expect(await slugs('-n', '500')).toEqual(['quiz', 'weekly'])
  expect(await cuelight(['events', '-n', '1'])).toMatchObject({
    code: 0,
    err: expect.stringMatching(/^There are more; /),
  })
  expect((await cuelight(['events', '--search', 'nothing of the kind'])).out).toMatch(
    /^There are no such events\. "cuelight apply"/,
  )
})

test('events says of each what starts next as things are, and that of a script is the same', async () => {
  const phases = [{ key: 'doors', steps: [cue('Welcome everybody.')] }]
  const schedule = { recurring: { start: '2040-01-06T20:00', rule: 'FREQ=WEEKLY;BYDAY=FR' } }
  const id = await publishPhases('market', phases, { spec: { schedule, phases }, timeZone: 'Asia/Kolkata' })
  const next = async () => {
    const line = (await cuelight(['events', '--search', 'market'])).out.split('\n')[1] ?? ''
    const [event] = await json('events', '--search', 'market')
    expect(event).not.toHaveProperty('planned')
    expect(event).not.toHaveProperty('nextOccurrences')
    return { line, starts: event.nextStarts }
  }
  const start = async (at: string): Promise<string> => (await json('start', 'market', '--at', at)).run.id
  expect(await next()).toEqual({
    line: expect.stringMatching(/^market {2}READY {2}1 {8}2040-01-06 14:30 \(20:00 Asia\/Kolkata\) {2}Quiz night$/),
    starts: [{ at: '2040-01-06T14:30:00.000Z', scope: '', moved: false, run: null }],
  })
  const first = await start('2040-01-06T14:30:00Z')
  await cuelight(['cancel', first])
  const second = await start('2040-01-13T14:30:00Z')
  expect((await next()).starts).toMatchObject([{ at: '2040-01-13T14:30:00.000Z', run: { id: second } }])
  await ask(
    `mutation Move { rescheduleRun(input: { id: "${second}", scheduledFor: "2040-01-13T15:30:00Z" }) { __typename } }`,
  )
  expect(await next()).toEqual({
    line: expect.stringContaining(' 2040-01-13 15:30 (21:00 Asia/Kolkata) '),
    starts: [{ at: '2040-01-13T15:30:00.000Z', scope: '', moved: true, run: { id: second } }],
  })
  const allow = (enabled: boolean) =>
    ask(`mutation Set { setActionSetting(input: { actionId: "core.cue", enabled: ${enabled} }) { __typename } }`)
  await allow(false)
  await ask(`mutation Change { updateDefinition(input: { id: "${id}", graceSeconds: 60 }) { __typename } }`)
  await ask(`mutation Publish { publishDefinition(input: { id: "${id}" }) { __typename } }`)
  await allow(true)
  // What somebody started does start, whatever becomes of the schedule.
  expect((await next()).line).toMatch(/ 15:30 \(21:00 Asia\/Kolkata\) {2}Quiz night$/)
  await cuelight(['cancel', second])
  expect(await next()).toEqual({ line: expect.stringMatching(/ held: not verified {2}Quiz night$/), starts: [] })
  await ask(`mutation Pause { pauseSchedule(input: { id: "${id}" }) { __typename } }`)
  expect(await next()).toEqual({ line: expect.stringMatching(/ schedule paused {2}Quiz night$/), starts: [] })
})

test('cues lists what waits for a person, and who has it', async () => {
  expect(await cuelight(['cues', '--scope', 'nowhere'])).toMatchObject({ code: 0, out: 'No cue waits for a person.\n' })
  const id = await atCue('--scope', 'minoc')
  const [cue] = await json('cues', '--scope', 'minoc')
  expect(cue).toMatchObject({
    instruction: 'Welcome everybody.',
    claimedBy: null,
    run: { id, definition: { slug: 'quiz' } },
  })
  await ask(`mutation Claim { claimCue(input: { id: "${cue.id}" }) { __typename } }`)
  const { out } = await cuelight(['cues', '--scope', 'minoc'])
  expect(out).toMatch(/^CUE +EVENT {2}SCOPE {2}SINCE +CLAIMED BY {2}INSTRUCTION\n/)
  expect(out).toMatch(new RegExp(`^${cue.id} {2}quiz {3}minoc {2}.* {2}admin {7}Welcome everybody\\.$`, 'm'))
})

test('a wrong token, a server that is away and one that is none are told apart, and no token is shown', async () => {
  const wrong = await cuelight(['runs'], { env: { CUELIGHT_TOKEN: 'a-token-that-nobody-gave' } })
  expect(wrong).toMatchObject({
    code: 3,
    err: expect.stringMatching(/^The server does not take this token; give another/),
  })
  const none = await cuelight(['runs'], { env: { CUELIGHT_TOKEN: '' } })
  expect(none).toMatchObject({ code: 2, err: expect.stringMatching(/^A token is needed/) })
  const elsewhere = createServer((_request, response) => response.writeHead(404).end('<html>')).listen(0, '127.0.0.1')
  await once(elsewhere, 'listening')
  const address = elsewhere.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  const other = await cuelight(['cues', '--url', url])
  expect(other).toMatchObject({ code: 1, err: expect.stringMatching(/is no Cuelight \(status 404\)/) })
  elsewhere.close()
  const away = await cuelight(['logs', 'quiz', '-f', '--json', '--url', url])
  expect(away.code).toBe(1)
  expect(JSON.parse(away.err).error).toEqual({
    code: 'UNREACHABLE',
    message: `The server at ${url} cannot be reached (ECONNREFUSED). Start it, or give its address as --url or in CUELIGHT_URL.`,
  })
  expect([wrong, other, away].map(({ err }) => err).join('')).not.toMatch(/that-nobody-gave|the-admin-token/)
  expect(await cuelight(['runs', '--url', `${env.CUELIGHT_URL}/graphql`])).toMatchObject({ code: 0, err: '' })
  expect(await cuelight(['runs', '--url', `${env.CUELIGHT_URL}/elsewhere`])).toMatchObject({
    code: 1,
    err: expect.stringMatching(/is no Cuelight \(status 404\); correct --url/),
  })
  expect(await cuelight(['runs'], { env: { CUELIGHT_TOKEN: 'foo bar' } })).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^The token .* printable ASCII/),
  })
  expect(await cuelight(['runs', '--url', 'ftp://x'])).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^--url is "ftp/),
  })
})
