import { expect, test } from 'vitest'
import { cuttable } from './cuttable.ts'
import { quizServer } from './quiz-server.ts'

const { cuelight, json, start, publishPhases, until, url } = await quizServer()
const PHASES = [
  {
    key: 'doors',
    label: 'Doors open',
    steps: [{ actionId: 'core.cue', label: 'Welcome', params: { instruction: 'Welcome everybody.' } }],
  },
  { key: 'quiz', label: 'The quiz', steps: [], advance: { trigger: { on: 'quiz.answered', count: 2 } } },
]
for (const slug of ['quiz', 'other', 'cut-off']) await publishPhases(slug, PHASES)

test('watch shows each state until the run has ended, and ends with how it did', async () => {
  const { run } = await json('start', 'quiz')
  await until(run.id, ({ waitingCues }) => waitingCues === 1)
  const watching = start(['watch', 'quiz'])
  await watching.wrote(
    /Phase 1 of 2: Doors open\n RUNNING {4}Welcome {2}waits for a person\n cue_\S+ {2}Welcome everybody\.\n/,
  )
  await json('confirm', run.id)
  await watching.wrote(/Phase 2 of 2: The quiz\n Gate: The phase may end when quiz\.answered has happened 2 times\.\n/)
  await json('emit', 'quiz.answered', '--payload', '{"points":1}')
  await watching.wrote('(1 of 2 so far)')
  await json('emit', 'quiz.answered', '--payload', '{"points":1}')
  const { code, out, err } = await watching.ended
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).not.toContain('\u001b')
  expect(out.match(/^Quiz night .*$/gm)?.at(-1)).toBe('Quiz night  COMPLETED  OK')
  const blocks = out.split(/\n\n(?=Quiz night {2})/)
  expect(blocks.length).toBeGreaterThan(3)
  expect(new Set(blocks.map((block) => block.trim())).size).toBe(blocks.length)
})

test('watch --json writes each state on a line; Ctrl-C ends it with 130, a cancelled run with 5', async () => {
  const { run } = await json('start', 'other')
  await until(run.id, ({ waitingCues }) => waitingCues === 1)
  const interrupted = start(['watch', run.id])
  await interrupted.wrote('Doors open')
  interrupted.child.kill('SIGINT')
  expect(await interrupted.ended).toMatchObject({ code: 130, err: '' })
  const watching = start(['watch', run.id, '--json'])
  await watching.wrote(run.id)
  await json('cancel', run.id, '--reason', 'enough')
  const { code, out } = await watching.ended
  expect(code).toBe(5)
  const states = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(states[0]).toMatchObject({ id: run.id, status: 'RUNNING', cues: [{ instruction: 'Welcome everybody.' }] })
  expect(new Set(out.trimEnd().split('\n')).size).toBe(states.length)
  expect(states.at(-1)).toMatchObject({ status: 'CANCELLED', cues: [], steps: [{ status: 'CANCELLED' }] })
  expect(await cuelight(['watch', 'other'])).toMatchObject({
    code: 4,
    err: expect.stringContaining('no run under way'),
  })
})

test('watch goes on over a lost connection, with how the run is then', async () => {
  const { run } = await json('start', 'cut-off')
  await until(run.id, ({ waitingCues }) => waitingCues === 1)
  const way = await cuttable(url)
  const watching = start(['watch', run.id, '--url', way.url])
  await watching.wrote('waits for a person')
  await json('pause', run.id)
  await watching.wrote('PAUSED')
  await json('resume', run.id)
  way.cut()
  await watching.wrote(/^The connection is gone \(.+\); trying to go on …\n$/, 'err')
  await json('confirm', run.id)
  await until(run.id, ({ currentPhase }) => currentPhase === 'quiz')
  way.restore()
  await watching.wrote('Phase 2 of 2: The quiz')
  await watching.wrote(/^The connection is gone \(.+\); trying to go on …\nThe connection is back\.\n$/, 'err')
  await json('cancel', run.id)
  expect((await watching.ended).code).toBe(5)
})
