import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { quizServer } from './quiz-server.ts'

const { cuelight, json, publishPhases, until, ask } = await quizServer()
const cue = (instruction: string) => ({ actionId: 'core.cue', label: 'Welcome', params: { instruction } })
const PHASES = [
  { key: 'doors', steps: [cue('{host}, welcome everybody.'), { actionId: 'core.log', params: { message: 'Go!' } }] },
  { key: 'quiz', steps: [], advance: { trigger: { on: 'quiz.answered', count: 2 } } },
]
const HOST = { parameters: [{ name: 'host', required: true }] }
await publishPhases('quiz', PHASES, HOST)

/** A run of its own, waiting at its cue. */
async function atCue(scope: string): Promise<string> {
  const { run } = await json('start', 'quiz', '--scope', scope, '--params', '{"host":"Mira"}')
  await until(run.id, ({ waitingCues }) => waitingCues === 1)
  return run.id
}

test('start says how the run is and how to follow it; the same request again answers the first run', async () => {
  const args = ['start', 'quiz', '--params', '{"host":"Mira"}', '--at', '2099-01-01T00:00:00Z', '--request-id', 'one']
  const first = await cuelight(args)
  const id = /run_[0-9a-f-]{36}/.exec(first.out)?.[0] ?? ''
  expect(first).toEqual({
    code: 0,
    out: `Quiz night (${id}) is SCHEDULED. Waits for its start.\n`,
    err: `Follow it with "cuelight logs ${id} -f".\n`,
  })
  expect((await cuelight(args)).out).toContain(`It was there already. Quiz night (${id})`)
  const again = await cuelight([...args, '--json'])
  expect(again).toMatchObject({ code: 0, err: '' })
  expect(JSON.parse(again.out)).toMatchObject({ created: false, run: { id, scheduledFor: '2099-01-01T00:00:00.000Z' } })
  expect(again.out.trim().split('\n')).toHaveLength(1)
})

test('params come from a file or standard input too, and what is no JSON object is wrong usage', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cuelight-params-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'params.json')
  writeFileSync(file, '{"host":"Ona"}')
  const rehearse = (params: string) => ['start', 'quiz', '--rehearsal', '--params', params]
  expect(await cuelight(rehearse(`@${file}`))).toMatchObject({
    code: 0,
    out: expect.stringContaining('(rehearsal, run_'),
  })
  expect(await cuelight(rehearse('@-'), { input: '{"host":"Ona"}' })).toMatchObject({ code: 0 })
  expect(await cuelight(rehearse(`@${file}.not`))).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^--params names a file that cannot be read .*ENOENT.*correct its name/),
  })
  expect(await cuelight(rehearse('{host}'))).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^--params is no JSON/),
  })
  expect(await cuelight(rehearse('{"n":1e999}'))).toMatchObject({ code: 2, err: expect.stringContaining('precision') })
  expect(await cuelight(rehearse('[1]'))).toMatchObject({ code: 2, err: expect.stringContaining('a JSON object') })
})

test('wrong input is refused with every problem on a line, and as JSON for scripts', async () => {
  const args = ['start', 'quiz', '--params', '{"gost":"Mira"}', '--at', '2020-01-01T00:00:00Z']
  const { code, out, err } = await cuelight(args)
  expect({ code, out }).toEqual({ code: 3, out: '' })
  expect(err).toMatch(/^params\.\w+: .*\n(.*\n)*scheduledFor: .*grace window/m)
  const scripted = await cuelight([...args, '--json'])
  expect({ code: scripted.code, out: scripted.out }).toEqual({ code: 3, out: '' })
  expect(JSON.parse(scripted.err).error).toMatchObject({
    code: 'INVALID_INPUT',
    issues: expect.arrayContaining([{ path: 'scheduledFor', message: expect.stringContaining('grace window') }]),
  })
})

test.each([
  [
    'start --at',
    ['start', 'quiz', '--at', 'tomorrow'],
    /'--at <instant>' argument 'tomorrow' is invalid\. .*like 2027-01-01T20:00:00Z/,
  ],
  ['start --at', ['start', 'quiz', '--at', '2027-01-01 20:00'], /'--at <instant>'/],
  [
    'runs --from',
    ['runs', '--from', '2026-11-30'],
    /'--from <instant>' argument '2026-11-30' is invalid\. .*Z or an offset/,
  ],
  ['runs --to', ['runs', '--to', '2026-02-30T00:00:00Z'], /'--to <instant>'/],
  [
    'token create --expires',
    ['token', 'create', 'x', '--role', 'VIEWER', '--expires', '2027-01-01'],
    /'--expires <instant>'/,
  ],
  [
    'start --params',
    ['start', 'quiz', '--params', `{"a":${'['.repeat(40)}${']'.repeat(40)}}`],
    /^--params may nest at most 32 levels/,
  ],
] as const)('what %s does not take is wrong usage that names the option, in words', async (_name, args, said) => {
  const { code, out, err } = await cuelight([...args])
  expect({ code, out, err }).toEqual({ code: 2, out: '', err: expect.stringMatching(said) })
  expect(err).not.toMatch(/Variable|\$input/)
})

test('what is not there ends with 4, and says where to look', async () => {
  expect(await cuelight(['start', 'quizz'])).toMatchObject({ code: 4, err: expect.stringMatching(/no event "quizz"/) })
  const gone = 'run_01a2289b-7bc3-7549-a8d4-170961bbd5d5'
  for (const args of [
    ['pause', gone],
    ['advance', gone, '--reason', 'x'],
    ['confirm', gone],
    ['retry', gone, '--reason', 'x'],
    ['logs', gone],
  ]) {
    expect(await cuelight(args), args.join(' ')).toMatchObject({
      code: 4,
      out: '',
      err: expect.stringContaining('no run'),
    })
  }
  expect(await cuelight(['pause', 'run_ffff'])).toMatchObject({
    code: 4,
    err: 'There is no run whose id begins with run_ffff; "cuelight runs --all" shows them.\n',
  })
})

const UUID = '01a2289b-7bc3-7549-a8d4-170961bbd5d5'
test.each([
  [['pause', `cue_${UUID}`], 2, /^cue_\S+ is the id of a cue; give a run: "cuelight runs" lists/],
  [['logs', 'step_01'], 2, /^step_01 is the id of a step; give a run/],
  [['confirm', `tok_${UUID}`], 2, /^tok_\S+ is the id of a token; give a run/],
  [
    ['start', `run_${UUID}`],
    2,
    /^run_\S+ is the id of a run; give an event, by its slug or its id: "cuelight events" lists/,
  ],
  [['runs', '--event', `ver_${UUID}`], 2, /^ver_\S+ is the id of a version; give an event/],
  [['export', `run_${UUID}`], 2, /^run_\S+ is the id of a run; give an event/],
  [['confirm', 'cue_nope'], 4, /^There is no cue cue_nope; "cuelight cues" lists/],
  [['retry', 'step_nope', '--reason', 'x'], 4, /^There is no step step_nope; give its whole id, or its run/],
  [['start', `def_${UUID}`], 4, /^There is no event "def_\S+"; "cuelight events --all" lists/],
  [['pause', 'def_nope'], 4, /^There is no event "def_nope"; "cuelight events --all" lists/],
  [['logs', 'nope'], 4, /^There is no event "nope"; "cuelight events --all" lists/],
  [['export', 'nope'], 4, /^There is no event "nope"; "cuelight events --all" lists/],
] as const)('%j: an id of another kind is told from what is not there', async (args, code, said) => {
  expect(await cuelight([...args])).toEqual({ code, out: '', err: expect.stringMatching(said) })
})

test('a run goes from its cue over a pause and its gate to its end, told by its slug', async () => {
  await publishPhases('solo', PHASES, HOST)
  const { run } = await json('start', 'solo', '--params', '{"host":"Mira"}')
  await until(run.id, ({ waitingCues }) => waitingCues === 1)
  expect(await cuelight(['pause', 'solo', '--reason', 'the lights are out'])).toEqual({
    code: 0,
    out: `Quiz night (${run.id}) is PAUSED. Paused until a person resumes it.\n`,
    err: '',
  })
  const twice = await cuelight(['pause', 'solo'])
  expect(twice).toMatchObject({ code: 3, err: expect.stringMatching(/PAUSED.*admin paused this/) })
  const scripted = await cuelight(['pause', 'solo', '--json'])
  expect(JSON.parse(scripted.err).error).toMatchObject({
    code: 'CONFLICT',
    currentRun: { id: run.id, status: 'PAUSED' },
    lastControl: { action: 'PAUSE', actor: { name: 'admin' } },
  })
  const { id: eventId } = JSON.parse(await ask('query Solo { definition(slug: "solo") { id } }')).data.definition
  expect(await json('resume', eventId)).toMatchObject({ id: run.id, status: 'RUNNING' })
  expect(await cuelight(['confirm', 'solo', '--note', 'Twelve teams'])).toEqual({
    code: 0,
    out: `"Welcome" of phase doors is DONE; its run (${run.id}) is RUNNING.\n`,
    err: '',
  })
  await until(run.id, ({ currentPhase }) => currentPhase === 'quiz')
  expect(await cuelight(['confirm', 'solo'])).toMatchObject({ code: 3, err: expect.stringContaining('No cue of solo') })
  const wrongPhase = ['advance', 'solo', '--phase', 'doors', '--reason', 'late']
  expect(await cuelight(wrongPhase)).toMatchObject({ code: 3, err: expect.stringContaining('quiz') })
  expect(await json('advance', 'solo', '--reason', 'it is late')).toMatchObject({ id: run.id })
  await until(run.id, ({ status }) => status === 'COMPLETED')
  expect(await cuelight(['cancel', 'solo'])).toMatchObject({
    code: 4,
    err: 'The event solo has no run under way; "cuelight runs --all --event solo" shows the others.\n',
  })
  const { out } = await cuelight(['logs', run.id])
  expect(out).toMatch(/the lights are out[\s\S]*Twelve teams[\s\S]*it is late/)
})

test('a beginning of an id will do where it is the only one, and a slug where one run is under way', async () => {
  const [one, two] = [await atCue('one'), await atCue('two')]
  const several = await cuelight(['cancel', 'quiz'])
  expect(several).toMatchObject({ code: 2, err: expect.stringMatching(/^quiz may mean one of \d+ runs; give the id/) })
  expect(several.err).toContain(one)
  expect(await cuelight(['cancel', 'run_'])).toMatchObject({ code: 2, err: expect.stringContaining('may mean one of') })
  expect(await json('cancel', two.slice(0, -1), '--reason', 'enough')).toMatchObject({ id: two, status: 'CANCELLED' })
  expect(await json('cancel', one)).toMatchObject({ id: one, status: 'CANCELLED' })
})

test('skip takes a step, a cue or its run, and needs a reason', async () => {
  const id = await atCue('skip')
  expect(await cuelight(['skip', id])).toMatchObject({ code: 2, err: expect.stringContaining('--reason') })
  const [{ id: cueId }] = await json('cues', '--scope', 'skip')
  expect(await json('skip', cueId, '--reason', 'everybody is here')).toMatchObject({ status: 'SKIPPED', run: { id } })
  const again = await cuelight(['skip', cueId.replace('cue_', 'step_'), '--reason', 'again'])
  expect(again).toMatchObject({ code: 3, err: expect.stringMatching(/SKIPPED.*admin skipped this/) })
  const other = await atCue('skip by run')
  expect(await json('skip', other, '--reason', 'nobody is here')).toMatchObject({ status: 'SKIPPED' })
})

test('a failed step is retried by its run, which goes on once it is resumed', async () => {
  await publishPhases('lights', [{ key: 'only', steps: [{ actionId: 'quiz.lights', label: 'Lights' }] }])
  const { run } = await json('start', 'lights')
  await until(run.id, ({ status }) => status === 'PAUSED')
  expect(await cuelight(['retry', 'lights', '--reason', 'a new fuse'])).toEqual({
    code: 0,
    out: `"Lights" of phase only is PENDING; its run (${run.id}) is PAUSED.\n`,
    err: `"cuelight resume ${run.id}" lets the run go on with it.\n`,
  })
  const again = await cuelight(['retry', 'lights', '--reason', 'a new fuse'])
  expect(again).toMatchObject({ code: 3, err: expect.stringMatching(/^No step of lights failed or was refused/) })
  await json('resume', 'lights')
  await until(run.id, ({ status }) => status === 'COMPLETED')
})

test('emit counts for the gates that wait, once with the same key, and says what the payload lacks', async () => {
  const id = await atCue('emit')
  await json('confirm', id)
  await until(id, ({ waitingOn }) => (waitingOn as { kind: string } | null)?.kind === 'GATE')
  const emit = ['emit', 'quiz.answered', '--scope', 'emit', '--payload']
  const first = await cuelight([...emit, '{"points":3}', '--dedupe-key', 'answer 1'])
  expect(first).toMatchObject({ code: 0, err: '' })
  expect(first.out).toMatch(
    new RegExp(`^quiz.answered counted for 1 gate\\.\nRUN +PHASE +TALLY\n${id} {2}quiz +1 of 2 +counts\n$`),
  )
  const again = await cuelight([...emit, '{"points":3}', '--dedupe-key', 'answer 1'])
  expect(again.out).toMatch(/^This was emitted before, when it counted for 1 gate; it counted for none now\./)
  expect(await json(...emit, '{"points":4}')).toMatchObject({ matchedCount: 1, matched: [{ runId: id, opened: true }] })
  expect(await json(...emit, '{"points":5}')).toEqual({ duplicate: false, matchedCount: 0, matched: [] })
  expect(await cuelight([...emit, '{}'])).toMatchObject({ code: 3, err: expect.stringMatching(/^payload\.points: /) })
  expect(await cuelight(['emit', 'quiz.answerd'])).toMatchObject({
    code: 3,
    err: expect.stringContaining('quiz.answerd'),
  })
})

test('a token for game servers may emit and nothing else', async () => {
  const { token } = await json('token', 'create', 'a shard', '--role', 'EMITTER')
  const env = { CUELIGHT_TOKEN: token }
  expect(
    await cuelight(['emit', 'quiz.answered', '--payload', '{"points":1}', '--scope', 'none'], { env }),
  ).toMatchObject({
    code: 0,
    out: 'quiz.answered counted for 0 gates.\n',
  })
  expect(await cuelight(['cues'], { env })).toMatchObject({
    code: 3,
    err: expect.stringMatching(/needs the role VIEWER/),
  })
})

test('the log has what a control was given, from whom', async () => {
  const id = await atCue('who')
  await json('cancel', id, '--reason', 'the room is closed')
  const answer = await ask(`query Who { run(id: "${id}") { log(last: 1) { edges { node { text actor { name } } } } } }`)
  expect(answer).toContain('the room is closed')
  expect(answer).toContain('"name":"admin"')
})
