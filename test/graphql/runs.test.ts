import { expect, test } from 'vitest'
import { formatId, uuidOf } from '../../src/domain/ids.ts'
import { mintId } from '../../src/store/ids.ts'
import { newStage, type Stage } from '../support/stage.ts'
import { Client, Data } from './client.ts'

const clientOf = ({ db, registry, clock, changes }: Stage) => new Client(db, { registry, clock, changes })

const START = `mutation ($input: StartRunInput!) { startRun(input: $input) {
  __typename
  ... on StartRunPayload { created run { id status definition { id } } }
  ... on Error { code message }
  ... on InvalidInputError { issues { path message } }
  ... on ConflictError { currentDefinition { state } currentRun { id } }
} }`

const STATE = `query ($id: ID!) { run(id: $id) {
  status currentPhase waitingOn { kind description until } allowedControls waitingCues stepCounts { status count }
  steps { id status parked allowedControls cue { id } } gates { kind description opensAt openedBy waitedSeconds stalled }
} }`

/** The uuid of the run that a mutation answered. */
function startedRun(data: Data): { id: string; runId: string } {
  const id = data.text('startRun', 'run', 'id')
  const runId = uuidOf(id, 'Run')
  if (runId === null) throw new Error(id)
  return { id, runId }
}

const control = (name: string, type: string, selection: string) =>
  `mutation ($input: ${type}!) { ${name}(input: $input) { __typename ... on Error { code message }
     ... on ConflictError { currentRun { id status } currentStep { status } lastControl { action at actor { kind name } } }
     ... on InvalidInputError { issues { path } } ${selection} } }`

test('an event runs from its start over a cue, a gate and a hold to its end, and every stop says what it waits for', async () => {
  const stage = await newStage()
  const client = clientOf(stage)
  const { definitionId } = await stage.publish([
    { key: 'gather', steps: [{ actionId: 'core.cue', params: { instruction: 'Open the gates' }, label: 'Gates' }] },
    { key: 'fight', steps: [{ key: 'spawn' }], advance: { after: '10m' } },
    {
      key: 'end',
      steps: [
        { actionId: 'core.wait', params: { for: '1h' } },
        { key: 'bye', label: 'Goodbye' },
      ],
    },
  ])
  const started = await client.query(START, { input: { definitionId: formatId('Definition', definitionId) } })
  expect(started.at('startRun')).toMatchObject({ __typename: 'StartRunPayload', created: true })
  const { id, runId } = startedRun(started)
  await stage.settle()

  const atCue = await client.query(STATE, { id })
  const step = atCue.text('run', 'steps', 0, 'id')
  expect(atCue.at('run')).toMatchObject({
    status: 'RUNNING',
    currentPhase: 'gather',
    waitingOn: { kind: 'CUE', until: null },
    allowedControls: ['CANCEL', 'PAUSE'],
    waitingCues: 1,
    stepCounts: [{ status: 'RUNNING', count: 1 }],
    steps: [
      {
        status: 'RUNNING',
        parked: true,
        allowedControls: ['CLAIM', 'CONFIRM', 'SKIP'],
        cue: { id: step.replace('step', 'cue') },
      },
    ],
  })
  expect(atCue.text('run', 'waitingOn', 'description')).toContain('Open the gates')

  const claim = await client.query(
    control(
      'claimCue',
      'ClaimCueInput',
      '... on ClaimCuePayload { cue { claimedBy { name } step { allowedControls } } }',
    ),
    {
      input: { id: step.replace('step', 'cue') },
    },
  )
  expect(claim.at('claimCue')).toMatchObject({
    cue: { claimedBy: { name: 'Mira' }, step: { allowedControls: ['TAKE_OVER', 'CONFIRM', 'SKIP'] } },
  })
  const confirm = await client.query(
    control('confirmCue', 'ConfirmCueInput', '... on ConfirmCuePayload { step { status note } }'),
    {
      input: { id: step, note: 'they are open' },
    },
  )
  expect(confirm.at('confirmCue')).toMatchObject({ step: { status: 'DONE', note: 'they are open' } })
  await stage.settle()

  const atGate = await client.query(STATE, { id })
  expect(atGate.at('run')).toMatchObject({
    currentPhase: 'fight',
    waitingOn: { kind: 'GATE', until: new Date(stage.clock.now() + 600_000).toISOString() },
    allowedControls: ['CANCEL', 'PAUSE', 'ADVANCE'],
    gates: [{ kind: 'AFTER', openedBy: null, waitedSeconds: 0, stalled: false }],
  })
  await stage.letPass(600_000)

  const atHold = await client.query(STATE, { id })
  expect(atHold.at('run')).toMatchObject({
    currentPhase: 'end',
    waitingOn: { kind: 'HOLD', until: new Date(stage.clock.now() + 3_600_000).toISOString() },
    allowedControls: ['CANCEL', 'PAUSE', 'END_HOLD'],
    gates: [{ openedBy: 'ELAPSED', waitedSeconds: 600 }],
  })
  const endHold = await client.query(control('endHold', 'RunReasonInput', '... on EndHoldPayload { run { status } }'), {
    input: { id },
  })
  expect(endHold.at('endHold')).toMatchObject({ __typename: 'EndHoldPayload' })
  await stage.settle()

  const over = await client.query(STATE, { id })
  expect(over.at('run')).toMatchObject({ status: 'COMPLETED', waitingOn: null, allowedControls: [] })
  expect((await stage.log(runId)).length).toBeGreaterThan(10)
  const kinds: unknown[] = []
  for await (const { data } of await client.events(
    'subscription ($id: ID!) { runLog(runId: $id) { entries { kind line } } }',
    { id },
  )) {
    const entries = new Data(data).at('runLog', 'entries', 'kind')
    if (Array.isArray(entries)) kinds.push(...entries)
  }
  expect(kinds).toEqual((await stage.log(runId)).map(({ kind }) => kind))
  expect(client.faults).toEqual([])
})

test('a moderator sees only the controls that a moderator has', async () => {
  const stage = await newStage()
  const runId = await stage.play([{ key: 'a', steps: [{ key: 'x' }], advance: { after: '1h' } }])
  const client = clientOf(stage)
  const allowed = async () => (await client.query(STATE, { id: formatId('Run', runId) })).at('run', 'allowedControls')
  client.role = 'VIEWER'
  expect(await allowed()).toEqual([])
  client.role = 'MODERATOR'
  expect(await allowed()).toEqual(['PAUSE'])
  client.role = 'ADMIN'
  expect(await allowed()).toEqual(['CANCEL', 'PAUSE', 'ADVANCE'])
})

test('a failed step may be retried where its run is paused and it is the furthest, and the run says so', async () => {
  const stage = await newStage()
  stage.script.answers('x', { ok: false, retry: false, error: 'no dragons left' }, { ok: true })
  const runId = await stage.play([{ key: 'a', steps: [{ key: 'w' }, { key: 'x', label: 'Dragons' }, { key: 'y' }] }])
  const client = clientOf(stage)
  const paused = await client.query(STATE, { id: formatId('Run', runId) })
  expect(paused.at('run')).toMatchObject({
    status: 'PAUSED',
    waitingOn: { kind: 'PAUSED' },
    allowedControls: ['CANCEL', 'RESUME'],
  })
  expect(paused.text('run', 'waitingOn', 'description')).toContain('no dragons left')
  expect(paused.at('run', 'steps', 'allowedControls')).toEqual([[], ['RETRY'], ['SKIP']])
  const retry = await client.query(
    control('retryStep', 'StepReasonInput', '... on RetryStepPayload { step { status attempts } }'),
    {
      input: { id: paused.text('run', 'steps', 1, 'id'), reason: 'bred some' },
    },
  )
  expect(retry.at('retryStep')).toMatchObject({ step: { status: 'PENDING', attempts: 0 } })
  const resume = await client.query(
    control('resumeRun', 'RunReasonInput', '... on ResumeRunPayload { run { status } }'),
    { input: { id: formatId('Run', runId) } },
  )
  expect(resume.at('resumeRun')).toMatchObject({ run: { status: 'RUNNING' } })
  await stage.settle()
  expect((await client.query(STATE, { id: formatId('Run', runId) })).at('run', 'status')).toBe('COMPLETED')
})

test('a control that came too late answers CONFLICT with the run as it is now and who was first', async () => {
  const stage = await newStage()
  const runId = await stage.play([{ key: 'a', steps: [{ key: 'x' }], advance: { after: '1h' } }])
  const client = clientOf(stage)
  const id = formatId('Run', runId)
  const pause = control('pauseRun', 'RunReasonInput', '... on PauseRunPayload { run { status } }')
  expect((await client.query(pause, { input: { id, reason: 'dinner' } })).at('pauseRun')).toMatchObject({
    run: { status: 'PAUSED' },
  })
  const late = await client.query(pause, { input: { id } })
  expect(late.at('pauseRun')).toMatchObject({
    __typename: 'ConflictError',
    code: 'CONFLICT',
    currentRun: { id, status: 'PAUSED' },
    currentStep: null,
    lastControl: {
      action: 'PAUSE',
      at: new Date(stage.clock.now()).toISOString(),
      actor: { kind: 'TOKEN', name: 'Mira' },
    },
  })
  expect(late.text('pauseRun', 'message')).toContain('Mira paused this')
})

test('a run is moved, cancelled and forced through its gate by its id', async () => {
  const stage = await newStage()
  const client = clientOf(stage)
  const { definitionId } = await stage.publish([{ key: 'a', steps: [{ key: 'x' }], advance: { after: '1h' } }])
  const later = new Date(stage.clock.now() + 3_600_000).toISOString()
  const start = async (input: object) => {
    const answer = await client.query(START, {
      input: { definitionId: formatId('Definition', definitionId), ...input },
    })
    return startedRun(answer).id
  }
  const upcoming = await start({ scheduledFor: later })
  const move = control(
    'rescheduleRun',
    'RescheduleRunInput',
    '... on RescheduleRunPayload { run { scheduledFor occurrenceAt } }',
  )
  const moved = new Date(stage.clock.now() + 7_200_000).toISOString()
  const answer = await client.query(move, { input: { id: upcoming, scheduledFor: moved } })
  expect(answer.at('rescheduleRun')).toMatchObject({ run: { scheduledFor: moved, occurrenceAt: later } })
  const tooEarly = await client.query(move, { input: { id: upcoming, scheduledFor: '2020-01-01T00:00:00Z' } })
  expect(tooEarly.at('rescheduleRun')).toMatchObject({ code: 'INVALID_INPUT', issues: [{ path: 'scheduledFor' }] })

  const cancel = control(
    'cancelRun',
    'RunReasonInput',
    '... on CancelRunPayload { run { status endedBecause endedBy { name } waitingOn { kind } } }',
  )
  const cancelled = await client.query(cancel, { input: { id: upcoming, reason: 'rain' } })
  expect(cancelled.at('cancelRun')).toMatchObject({
    run: { status: 'CANCELLED', endedBecause: 'Mira cancelled it: rain', endedBy: { name: 'Mira' }, waitingOn: null },
  })

  const now = await start({})
  await stage.settle()
  const advance = control(
    'advancePhase',
    'AdvancePhaseInput',
    '... on AdvancePhasePayload { run { gates { openedBy openedByActor { name } reason } } }',
  )
  const wrong = await client.query(advance, { input: { id: now, phase: 'b', reason: 'enough' } })
  expect(wrong.at('advancePhase')).toMatchObject({ code: 'CONFLICT', currentRun: { id: now } })
  const forced = await client.query(advance, { input: { id: now, phase: 'a', reason: 'enough' } })
  expect(forced.at('advancePhase')).toMatchObject({
    run: { gates: [{ openedBy: 'FORCED', openedByActor: { name: 'Mira' }, reason: 'enough' }] },
  })
})

test('what startRun refuses is data: no such definition, params that do not fit', async () => {
  const stage = await newStage()
  const client = clientOf(stage)
  const parameters = [{ name: 'region', label: 'Region', type: 'TEXT', required: true, default: null, options: null }]
  const { definitionId } = await stage.publish([{ key: 'a', steps: [{ key: 'x' }] }], { parameters })
  const start = async (input: object) => (await client.query(START, { input })).at('startRun')
  expect(await start({ definitionId: 'quiz-night' })).toMatchObject({
    __typename: 'NotFoundError',
    code: 'NOT_FOUND',
    message: expect.stringContaining('definition(slug: …) { id } finds that of a slug.'),
  })
  expect(await start({ definitionId: formatId('Run', mintId()) })).toMatchObject({
    code: 'NOT_FOUND',
    message: expect.stringContaining('It is the id of a run; pass that of a definition.'),
  })
  expect(await start({ definitionId: formatId('Definition', mintId()) })).toMatchObject({ code: 'NOT_FOUND' })
  const id = formatId('Definition', definitionId)
  expect(await start({ definitionId: id })).toMatchObject({
    __typename: 'InvalidInputError',
    code: 'INVALID_INPUT',
    issues: [{ path: 'params.region' }],
  })
  await stage.db.prisma.definition.update({ where: { id: definitionId }, data: { state: 'ARCHIVED' } })
  expect(await start({ definitionId: id, params: { region: 'Yew' } })).toMatchObject({
    __typename: 'ConflictError',
    currentDefinition: { state: 'ARCHIVED' },
  })
})

test('every control answers NOT_FOUND to an id of nothing or of something else', async () => {
  const client = clientOf(await newStage())
  const [other, uuid] = ['RunReasonInput', mintId()]
  const asked = async (name: string, type: string, input: object) =>
    (await client.query(control(name, type, ''), { input })).at(name, 'code')
  for (const id of ['nonsense', `run_${uuid}`, `def_${uuid}`, `step_${uuid}`]) {
    for (const name of ['cancelRun', 'pauseRun', 'resumeRun', 'endHold'])
      expect(await asked(name, other, { id }), name).toBe('NOT_FOUND')
    expect(await asked('rescheduleRun', 'RescheduleRunInput', { id, scheduledFor: '2030-01-01T00:00:00Z' })).toBe(
      'NOT_FOUND',
    )
    expect(await asked('advancePhase', 'AdvancePhaseInput', { id, phase: 'a', reason: 'x' })).toBe('NOT_FOUND')
    expect(await asked('claimCue', 'ClaimCueInput', { id })).toBe('NOT_FOUND')
    expect(await asked('confirmCue', 'ConfirmCueInput', { id })).toBe('NOT_FOUND')
    for (const name of ['skipStep', 'retryStep'])
      expect(await asked(name, 'StepReasonInput', { id, reason: 'x' }), name).toBe('NOT_FOUND')
  }
  expect(client.faults).toEqual([])
})
