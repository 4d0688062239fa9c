import { expect, test } from 'vitest'
import type { Setting } from '../../src/domain/budget.ts'
import { normaliseParameter, type ParameterInput } from '../../src/domain/parameters.ts'
import { IntlZones } from '../../src/domain/recurrence/intl-zones.ts'
import {
  gateIssues,
  parseReport,
  type Remark,
  reportOf,
  scheduleIssues,
  type Verifiable,
} from '../../src/domain/verification.ts'
import { checkSteps, remarkOn, type VerifiableAction } from '../../src/domain/verify-steps.ts'

const NOW = Date.parse('2026-03-06T20:00:00.000Z')

/** Wants a text and a number, and costs as many creatures as the number says. */
const spawn: VerifiableAction = {
  version: 1,
  risk: 'CHANGE',
  supportsVerify: true,
  paramsSchema: {},
  checkDraft: ({ what }) => (what === 'nothing' ? [{ path: 'what', message: 'must be something.' }] : []),
  checkFilled: (params) => {
    const count = Number(params.count ?? 1)
    return Number.isNaN(count)
      ? { ok: false, issues: [{ path: 'count', message: 'must be a number.' }] }
      : { ok: true, params: { ...params, count } }
  },
  cost: ({ count, what }) =>
    what === 'dragons' ? { ok: false, error: 'Nobody knows.' } : { ok: true, cost: { creatures: Number(count) } },
}
const ACTIONS: Record<string, VerifiableAction> = {
  'shard.spawn': spawn,
  'shard.mute': { ...spawn, supportsVerify: false },
  'shard.free': { ...spawn, cost: () => ({ ok: true, cost: {} }) },
}
const world = (settings: Record<string, Setting> = {}) => ({
  action: (id: string) => ACTIONS[id],
  whyMissing: (id: string) => `${id} is not registered.`,
  settings: new Map(Object.entries(settings)),
})

type Step = { actionId?: string; label?: string; actionVersion?: number; params?: Record<string, unknown> }
const event = (steps: Step[], parameters: ParameterInput[] = []): Verifiable => ({
  spec: {
    schedule: { manual: true },
    phases: [
      { key: 'first', steps: [] },
      { key: 'second', steps: steps.map((step) => ({ actionId: 'shard.spawn', params: {}, ...step })) },
    ],
  },
  timeZone: 'UTC',
  parameters: parameters.map(normaliseParameter),
})
const check = (
  steps: Step[],
  { parameters, settings }: { parameters?: ParameterInput[]; settings?: Record<string, Setting> } = {},
) => checkSteps(event(steps, parameters), world(settings))
const findingsOf = (steps: readonly { remarks: readonly Remark[] }[]) =>
  steps.map(({ remarks }) => remarks.map(({ finding }) => finding))

test('a step in order is asked with its defaults filled in and converted, and stands in the report by its place', () => {
  const parameters = [
    { name: 'what', default: 'orcs' },
    { name: 'count', type: 'INTEGER' as const, required: true, default: '5' },
  ]
  const params = { what: '{what} of {what}', count: '{count}' }
  const [step] = check([{ label: 'First wave', params }], { parameters })
  expect(step).toEqual({
    place: { path: 'phases[1].steps[0]', phase: 'second', seq: 0, actionId: 'shard.spawn', label: 'First wave' },
    remarks: [],
    call: { action: spawn, params: { what: 'orcs of orcs', count: 5 } },
  })
})

test('an action that is not registered is an error that says why', () => {
  expect(check([{ actionId: 'no.such' }])).toMatchObject([
    { remarks: [{ finding: 'ERROR', message: 'no.such is not registered.' }], call: null },
  ])
})

test('another version than was pinned is all right, and said', () => {
  const [step] = check([{ actionVersion: 3 }])
  expect(step?.remarks).toEqual([{ finding: 'OK', message: expect.stringContaining('version 1 and was version 3') }])
  expect(step?.call).not.toBeNull()
})

test('an action that is switched off is an error and is not asked', () => {
  const [step] = check([{}], { settings: { 'shard.spawn': { enabled: false, caps: [] } } })
  expect(step).toMatchObject({
    remarks: [{ finding: 'ERROR', message: expect.stringContaining('switched') }],
    call: null,
  })
})

test('params that do not fit are an error with every place', () => {
  expect(check([{ params: { count: 'many' } }])).toMatchObject([
    { remarks: [{ finding: 'ERROR', message: expect.stringContaining('params.count must be a number.') }], call: null },
  ])
})

test('an unknown placeholder is a warning, and the step is tried as it stands', () => {
  const [step] = check([{ params: { what: '{regoin} and {contry}' } }])
  expect(step).toMatchObject({
    remarks: [{ finding: 'WARNING', message: expect.stringContaining('{regoin}, {contry} are no parameters') }],
    call: { params: { what: '{regoin} and {contry}' } },
  })
})

test('an unknown placeholder where a number is wanted is an error too, for the run would fail there', () => {
  expect(findingsOf(check([{ params: { count: '{cuont}' } }]))).toEqual([['WARNING', 'ERROR']])
})

test.each<[string, ParameterInput]>([
  ['without a default', { name: 'region' }],
  ['required and with an empty default', { name: 'region', required: true, default: '' }],
])('a placeholder of a parameter %s is a warning; the step is neither called nor costed', (_what, parameter) => {
  const settings = { 'shard.spawn': { enabled: true, caps: [{ dimension: 'creatures', cap: 1 }] } }
  const [open, plain] = check([{ params: { what: '{region}', count: 9 } }, {}], { parameters: [parameter], settings })
  expect(open).toMatchObject({
    remarks: [{ finding: 'WARNING', message: expect.stringContaining('{region} has no default') }],
    call: null,
  })
  expect(plain?.remarks).toEqual([])
})

test('of a step with such a placeholder the rest is judged all the same', () => {
  const steps = check([{ params: { what: 'nothing', where: '{region}' } }], { parameters: [{ name: 'region' }] })
  expect(findingsOf(steps)).toEqual([['WARNING', 'ERROR']])
})

test('an optional text whose default is empty has a value', () => {
  const [step] = check([{ params: { what: '<{region}>' } }], { parameters: [{ name: 'region', default: '' }] })
  expect(step?.call?.params).toMatchObject({ what: '<>' })
})

test('an action that cannot be asked is all right, and said', () => {
  expect(check([{ actionId: 'shard.mute' }])).toMatchObject([
    { remarks: [{ finding: 'OK', message: expect.stringContaining('cannot be asked') }], call: null },
  ])
})

test('a cost that cannot be told is an error with its reason', () => {
  expect(check([{ params: { what: 'dragons' } }])).toMatchObject([
    { remarks: [{ finding: 'ERROR', message: 'Nobody knows.' }] },
  ])
})

const cap = (most: number | null): Setting => ({ enabled: true, caps: [{ dimension: 'creatures', cap: most }] })

test('costs up to the cap are all right, and the step that goes over it is an error that names the cap', () => {
  const settings = { 'shard.spawn': cap(10) }
  expect(findingsOf(check([{ params: { count: 4 } }, { params: { count: 6 } }], { settings }))).toEqual([[], []])
  const steps = check([{ params: { count: 4 } }, { params: { count: 7 } }, { params: { count: 6 } }], { settings })
  expect(findingsOf(steps)).toEqual([[], ['ERROR'], []])
  expect(steps[1]?.remarks[0]?.message).toContain(
    'It costs 7 creatures, and the steps before it leave 6 of the 10 that the settings of shard.spawn allow',
  )
  expect(steps[1]?.call).not.toBeNull()
})

test('costs are added up over all phases, and tenths as they are written', () => {
  const step = (count: number) => ({ actionId: 'shard.spawn', params: { count } })
  const { timeZone, parameters } = event([])
  const phases = [
    { key: 'first', steps: [step(0.1)] },
    { key: 'second', steps: [step(0.2), step(0.1)] },
  ]
  const steps = checkSteps(
    { spec: { schedule: { manual: true }, phases }, timeZone, parameters },
    world({ 'shard.spawn': cap(0.3) }),
  )
  expect(findingsOf(steps)).toEqual([[], [], ['ERROR']])
  expect(steps[2]?.remarks[0]?.message).toContain('the steps before it leave 0 of the 0.3')
})

test('the smallest cap that any action of the version sets counts, and no cap bounds nothing', () => {
  const steps = [{ params: { count: 5 } }, { actionId: 'shard.free' }]
  const bounded = check(steps, { settings: { 'shard.spawn': cap(10), 'shard.free': cap(4) } })
  expect(bounded[0]?.remarks[0]?.message).toContain('4 of the 4 that the settings of shard.free allow')
  expect(findingsOf(check(steps, { settings: { 'shard.spawn': cap(null) } }))).toEqual([[], []])
  expect(findingsOf(check(steps, { settings: { 'shard.mute': cap(1) } }))).toEqual([[], []])
})

test('what an answer means: done and parked are all right, late and not asked are warnings, the rest errors', () => {
  const brought = { resources: [], participants: [] }
  const late = { kind: 'failed', transient: true, error: 'no answer within 10 s', timedOut: true } as const
  expect(remarkOn('a.b', { kind: 'done', holdSeconds: 60, ...brought }).finding).toBe('OK')
  expect(remarkOn('a.b', { kind: 'parked', ...brought }).finding).toBe('OK')
  expect(remarkOn('a.b', late)).toMatchObject({ finding: 'WARNING', message: expect.stringContaining('in time') })
  expect(remarkOn('a.b', null).finding).toBe('WARNING')
  for (const transient of [true, false]) {
    const remark = remarkOn('a.b', { kind: 'failed', transient, error: 'the shard is full.' })
    expect(remark).toMatchObject({
      finding: 'ERROR',
      message: expect.stringContaining('failed: the shard is full. Put'),
    })
  }
})

test('a gate that waits for an unknown trigger is an error of its path', () => {
  const gated = event([])
  gated.spec.phases = [
    { key: 'a', steps: [], advance: { after: '1m' } },
    { key: 'b', steps: [], advance: { trigger: { on: 'known.one' } } },
    { key: 'c', steps: [], advance: { trigger: { on: 'no.such' } } },
  ]
  const triggers = {
    trigger: (id: string) => (id === 'known.one' ? {} : undefined),
    whyMissing: (id: string) => `${id} is not registered.`,
  }
  expect(gateIssues(gated, triggers)).toEqual([
    {
      path: 'phases[2].advance.trigger.on',
      message: 'The gate would never open. no.such is not registered.',
      finding: 'ERROR',
    },
  ])
})

test.each<[string, string, string[]]>([
  ['2026-03-06T19:59:59', 'UTC', ['WARNING']],
  ['2026-03-06T20:00', 'UTC', []],
  ['2026-03-06T21:00', 'Europe/Berlin', []],
  ['2026-03-06T20:59', 'Europe/Berlin', ['WARNING']],
  ['soon', 'UTC', []],
  ['2026-03-06T19:00', 'Mars', []],
])('of a single start at %s in %s the findings are %j', (at, timeZone, findings) => {
  const once = { ...event([]), timeZone }
  once.spec = { ...once.spec, schedule: { once: { at } } }
  const issues = scheduleIssues(once, { now: NOW, zones: new IntlZones() })
  expect(issues.map(({ finding }) => finding)).toEqual(findings)
  if (findings.length > 0)
    expect(issues).toMatchObject([{ path: 'schedule.once.at', message: expect.stringContaining(at) }])
})

test('a start that the clocks show twice is the first, and one that they leave out moves by the gap', () => {
  const at = (local: string, now: string) => {
    const once = { ...event([]), timeZone: 'Europe/Berlin' }
    once.spec = { ...once.spec, schedule: { once: { at: local } } }
    return scheduleIssues(once, { now: Date.parse(now), zones: new IntlZones() }).length
  }
  expect([at('2026-10-25T02:30', '2026-10-25T00:30:00Z'), at('2026-10-25T02:30', '2026-10-25T00:30:01Z')]).toEqual([
    0, 1,
  ])
  expect([at('2026-03-29T02:30', '2026-03-29T01:30:00Z'), at('2026-03-29T02:30', '2026-03-29T01:30:01Z')]).toEqual([
    0, 1,
  ])
})

const place = { path: 'phases[0].steps[0]', phase: 'main', seq: 0, actionId: 'a.b', label: null }

test('a report shows the worst of each step with all that was found, and passes without an error', () => {
  const remarks: Remark[] = [
    { finding: 'OK', message: 'Fine.' },
    { finding: 'WARNING', message: 'Odd.' },
  ]
  const gone = { path: 'schedule.once.at', message: 'it has passed.', finding: 'WARNING' as const }
  const report = reportOf([{ place, remarks }], [gone])
  expect(report).toEqual({
    passed: true,
    steps: [{ ...place, finding: 'WARNING', message: 'Fine. Odd.' }],
    issues: [{ path: 'schedule.once.at', message: 'Only a warning: it has passed.' }],
  })
  expect(parseReport(JSON.parse(JSON.stringify(report)))).toEqual(report)
})

test('a report that was kept before steps had their labels in it is read', () => {
  const { label: _, ...unlabelled } = { ...place, finding: 'OK', message: 'Fine.' }
  expect(parseReport({ passed: true, steps: [unlabelled], issues: [] })?.steps).toEqual([
    { ...unlabelled, label: null },
  ])
})

test('an error of a step or an issue that is more than a warning keeps a report from passing', () => {
  const bad = { finding: 'ERROR', message: 'Bad.' } as const
  expect(reportOf([{ place, remarks: [bad, { finding: 'OK', message: 'Fine.' }] }], [])).toMatchObject({
    passed: false,
    steps: [{ finding: 'ERROR', message: 'Bad. Fine.' }],
  })
  expect(reportOf([], [{ ...bad, path: 'timeZone' }])).toEqual({
    passed: false,
    steps: [],
    issues: [{ path: 'timeZone', message: 'Bad.' }],
  })
})

test('however much a module says, a report stays readable and what to do is in it', () => {
  const remark = remarkOn('a.b', { kind: 'failed', transient: true, error: '😀'.repeat(100_000) })
  const [step] = reportOf([{ place, remarks: [remark] }], []).steps
  expect(step?.message.length).toBeLessThan(2_001)
  expect(step?.message).toMatch(/…\. Put that right and verify again\.$/)
  expect(step?.message.isWellFormed()).toBe(true)
})

test('a text of nothing but space up to its end takes no time to be quoted', () => {
  const error = `${' '.repeat(500_000)}x`
  expect(remarkOn('a.b', { kind: 'failed', transient: true, error }).message).toContain('Put that right')
})

test.each([null, undefined, {}, [], { passed: true }, { passed: true, steps: [{}], issues: [] }])(
  '%j is no report',
  (json) => {
    expect(parseReport(json)).toBeNull()
  },
)
