import { expect, test } from 'vitest'
import type { Catalog, CatalogAction } from '../../src/domain/catalog.ts'
import { IntlZones } from '../../src/domain/recurrence/intl-zones.ts'
import { type Draft, validateDraft } from '../../src/domain/validate-draft.ts'

const action = (checkDraft: CatalogAction['checkDraft'] = () => []): CatalogAction => ({
  version: 1,
  risk: 'CHANGE',
  paramsSchema: {},
  checkDraft,
})
const ACTIONS: Record<string, CatalogAction> = {
  'core.log': action(),
  'shard.spawn': action(({ count }) =>
    typeof count === 'number' ? [] : [{ path: 'count', message: 'Must be a number.' }],
  ),
  'shard.list': action(() => [
    { path: '[0].name', message: 'No.' },
    { path: '', message: 'No.' },
  ]),
  'shard.broken': action(() => {
    throw new Error('oops')
  }),
}
const BOSS = {
  type: 'object',
  properties: { boss: { type: 'string' }, level: { type: 'integer', minimum: 1 } },
  required: ['boss'],
}
const CATALOG: Catalog = {
  action: (id) => (Object.hasOwn(ACTIONS, id) ? ACTIONS[id] : undefined),
  trigger: (id) => (id === 'shard.boss-slain' ? { payloadSchema: BOSS } : undefined),
}

const STEP = { actionId: 'core.log', params: { message: 'Hello {region}' } }
const PHASE = { key: 'main', steps: [STEP] }
const GOOD: Draft = {
  title: 'Invasion',
  spec: { schedule: { manual: true }, phases: [PHASE] },
  timeZone: 'Europe/Berlin',
  graceSeconds: 900,
  concurrencyKey: 'invasion:{region}',
  parameters: [{ name: 'region', default: 'Yew' }],
}
const find = (draft: Partial<Draft>) =>
  validateDraft({ ...GOOD, ...draft }, { catalog: CATALOG, zones: new IntlZones() })
const pathsOf = (draft: Partial<Draft>) => find(draft).issues.map((issue) => issue.path)
const withPhases = (...phases: unknown[]) => ({ spec: { schedule: { manual: true }, phases } })
const withStep = (step: unknown) => withPhases({ key: 'main', steps: [step] })
const withGate = (advance: unknown) => withPhases({ ...PHASE, advance })
const withSchedule = (schedule: unknown) => ({ spec: { schedule, phases: [PHASE] } })

test('a good draft has neither issues nor warnings', () => {
  expect(find({})).toEqual({ issues: [], warnings: [] })
})

test('a draft may leave out what has a default, and hold an empty phase', () => {
  expect(
    pathsOf({
      concurrencyKey: null,
      parameters: [],
      ...withPhases({ key: 'a', steps: [] }, { key: 'b', steps: [STEP] }),
    }),
  ).toEqual([])
})

test.each([
  [{ title: '' }, 'title'],
  [{ title: ' ' }, 'title'],
  [{ title: null }, 'title'],
  [{ title: '🐉'.repeat(201) }, 'title'],
  [{ timeZone: 'Mars/Olympus' }, 'timeZone'],
  [{ timeZone: '' }, 'timeZone'],
  [{ timeZone: 'EST' }, 'timeZone'],
  [{ timeZone: 'CEST' }, 'timeZone'],
  [{ timeZone: 'gmt' }, 'timeZone'],
  [{ timeZone: '+02:00' }, 'timeZone'],
  [{ timeZone: 'Etc/GMT+5' }, 'timeZone'],
  [{ timeZone: 5 }, 'timeZone'],
  [{ graceSeconds: -1 }, 'graceSeconds'],
  [{ graceSeconds: 86_401 }, 'graceSeconds'],
  [{ graceSeconds: 1.5 }, 'graceSeconds'],
  [{ graceSeconds: '900' }, 'graceSeconds'],
  [{ concurrencyKey: '' }, 'concurrencyKey'],
  [{ concurrencyKey: 'x'.repeat(191) }, 'concurrencyKey'],
  [{ concurrencyKey: 'invasion:{ region }' }, 'concurrencyKey'],
  [{ concurrencyKey: 'invasion:{region' }, 'concurrencyKey'],
  [{ parameters: [{ name: '1' }] }, 'parameters[0].name'],
  [withPhases(), 'phases'],
  [{ spec: { schedule: { manual: true } } }, 'phases'],
  [withPhases(...Array.from({ length: 51 }, (_, i) => ({ key: `p${i}`, steps: [] }))), 'phases'],
  [withPhases(PHASE, { ...PHASE, key: 'other' }, PHASE), 'phases[2].key'],
  [withPhases({ ...PHASE, key: 'Main' }), 'phases[0].key'],
  [withPhases({ ...PHASE, key: 'x'.repeat(65) }), 'phases[0].key'],
  [withPhases({ ...PHASE, label: 5 }), 'phases[0].label'],
  [withPhases({ key: 'main' }), 'phases[0].steps'],
  [withPhases({ key: 'main', steps: Array.from({ length: 201 }, () => STEP) }), 'phases[0].steps'],
  [withPhases(null), 'phases[0]'],
  [withStep('core.log'), 'phases[0].steps[0]'],
  [withStep({ params: {} }), 'phases[0].steps[0].actionId'],
  [withStep({ actionId: 'shard.dance' }), 'phases[0].steps[0].actionId'],
  [withStep({ actionId: 'constructor' }), 'phases[0].steps[0].actionId'],
  [withStep({ actionId: 'core.log', params: [] }), 'phases[0].steps[0].params'],
  [withStep({ actionId: 'shard.spawn', params: { count: 'many' } }), 'phases[0].steps[0].params.count'],
  [withStep({ actionId: 'shard.spawn' }), 'phases[0].steps[0].params.count'],
  [withStep({ actionId: 'shard.broken' }), 'phases[0].steps[0].params'],
  [withStep({ ...STEP, label: {} }), 'phases[0].steps[0].label'],
  [withStep({ ...STEP, onFailure: 'RETRY' }), 'phases[0].steps[0].onFailure'],
  [withGate({}), 'phases[0].advance'],
  [withGate('30m'), 'phases[0].advance'],
  [withGate({ after: '30m', trigger: { on: 'x' } }), 'phases[0].advance'],
  [withGate({ after: '0s' }), 'phases[0].advance.after'],
  [withGate({ after: 30 }), 'phases[0].advance.after'],
  [withGate({ after: '400d' }), 'phases[0].advance.after'],
  [withSchedule(undefined), 'schedule'],
  [withSchedule({}), 'schedule'],
  [withSchedule({ manual: true, once: { at: '2026-03-06T20:00' } }), 'schedule'],
  [withSchedule({ manual: false }), 'schedule.manual'],
  [{ spec: { schedule: { manual: true }, phases: 'x' } }, 'phases'],
])('%j is an issue at its place', (draft, path) => {
  const { issues } = find(draft)
  const [issue] = issues.filter((found) => found.path === path)
  expect(issue?.message).toMatch(/[.!]$/)
  expect(new Set(issues.map((found) => found.path)).size).toBe(issues.length)
  expect(issues.map((found) => found.path)).toContain(path)
})

test.each([
  [{ spec: { schedule: { manual: true }, phases: [PHASE], phase: [] } }, 'phase', 'schedule, phases'],
  [withSchedule({ manual: true, daily: true }), 'schedule.daily', 'manual, once, recurring'],
  [withSchedule({ once: { at: '2026-03-06T20:00', zone: 'UTC' } }), 'schedule.once.zone', 'at'],
  [
    withSchedule({ recurring: { start: '2026-03-06T20:00', rule: 'FREQ=DAILY', excludes: [] } }),
    'schedule.recurring.excludes',
    'start, rule, exclude, include',
  ],
  [withPhases({ ...PHASE, gate: { after: '5m' } }), 'phases[0].gate', 'key, label, steps, advance'],
  [withStep({ ...STEP, on_failure: 'SKIP' }), 'phases[0].steps[0].on_failure', 'actionId, label, params, onFailure'],
  [
    withStep({ ...STEP, 'on failure': 'SKIP' }),
    'phases[0].steps[0]["on failure"]',
    'actionId, label, params, onFailure',
  ],
  [withGate({ trigger: { on: 'shard.boss-slain', times: 2 } }), 'phases[0].advance.trigger.times', 'on, where, count'],
  [
    { parameters: [{ name: 'region', type: 'TEXT', value: 1 }] },
    'parameters[0].value',
    'name, label, type, required, default, options',
  ],
])('%j has a key that nobody knows, which is named with those that may be there', (draft, path, known) => {
  const { issues } = find(draft)
  const [issue] = issues.filter((found) => found.path === path)
  expect(issue?.message).toBe(`This is not known here; use one of ${known}, or remove it.`)
})

test('a gate or condition with a key that nobody knows is no gate and no condition', () => {
  expect(pathsOf(withGate({ after: '5m', or: 'never' }))).toEqual(['phases[0].advance'])
  const where = { field: 'boss', op: 'EQ', value: 'Balron', not: true }
  expect(pathsOf(withGate({ trigger: { on: 'shard.boss-slain', where } }))).toContain(
    'phases[0].advance.trigger.where.not',
  )
})

test('what is wrong beyond the largest number of phases, steps, parameters and dates is named too', () => {
  const many = (count: number, one: (index: number) => unknown) =>
    Array.from({ length: count }, (_, index) => one(index))
  expect(pathsOf(withPhases(...many(52, (i) => ({ key: i === 51 ? 'A' : `p${i}`, steps: [] }))))).toEqual([
    'phases',
    'phases[51].key',
  ])
  expect(pathsOf(withPhases({ key: 'main', steps: many(202, (i) => (i === 201 ? 5 : STEP)) }))).toEqual([
    'phases[0].steps',
    'phases[0].steps[201]',
  ])
  expect(pathsOf({ parameters: many(52, (i) => ({ name: i === 51 ? '1' : `region${i}` })) })).toEqual([
    'parameters',
    'parameters[51].name',
  ])
  const recurring = {
    start: '2026-03-06T20:00',
    rule: 'FREQ=DAILY',
    exclude: many(502, (i) => (i === 501 ? 'x' : '2026-12-25')),
  }
  expect(pathsOf(withSchedule({ recurring }))).toEqual([
    'schedule.recurring.exclude',
    'schedule.recurring.exclude[501]',
  ])
})

test('of very many problems a thousand are listed, and the last says how many more there are', () => {
  const steps = (count: number) =>
    Array.from({ length: count }, () => ({ actionId: 'no.such', params: { a: '{b}{c}' } }))
  // 1,000 steps and that there are too many of them.
  const listed = find(withPhases({ key: 'main', steps: steps(1_000) }))
  expect(listed.issues).toHaveLength(1_000)
  expect(listed.issues.at(-2)).toMatchObject({ path: 'phases[0].steps[997].actionId' })
  expect(listed.issues.at(-1)).toEqual({
    path: 'phases[0].steps[998].actionId',
    message: 'There are 2 more from here on; solve these first, and the others are listed.',
  })
  expect(listed.warnings).toHaveLength(1_000)
  expect(listed.warnings.at(-1)?.message).toContain('1001 more')
  const all = find(withPhases({ key: 'main', steps: steps(999) })).issues
  expect(all).toHaveLength(1_000)
  expect(all.at(-1)).toMatchObject({
    path: 'phases[0].steps[998].actionId',
    message: expect.stringContaining('no.such'),
  })
})

test('keeps to one issue where one thing is wrong', () => {
  expect(pathsOf({ timeZone: 'EST' })).toEqual(['timeZone'])
  expect(pathsOf(withStep({ actionId: 'shard.dance' }))).toEqual(['phases[0].steps[0].actionId'])
})

test('puts the paths of an action under the step it is about', () => {
  expect(pathsOf(withStep({ actionId: 'shard.list' }))).toEqual([
    'phases[0].steps[0].params[0].name',
    'phases[0].steps[0].params',
  ])
})

test('names every problem at once', () => {
  const draft = {
    timeZone: 'EST',
    graceSeconds: -5,
    concurrencyKey: '',
    parameters: [{ name: '1' }],
    spec: {
      schedule: { manual: false },
      phases: [
        { key: 'A', steps: [{ actionId: 'x' }, { actionId: 'shard.spawn' }] },
        { key: 'b', steps: [], advance: { after: 'soon' } },
      ],
    },
  }
  expect(pathsOf(draft)).toEqual([
    'timeZone',
    'graceSeconds',
    'concurrencyKey',
    'parameters[0].name',
    'schedule.manual',
    'phases[0].key',
    'phases[0].steps[0].actionId',
    'phases[0].steps[1].params.count',
    'phases[1].advance.after',
  ])
})

test.each([
  [{ once: { at: '2026-03-06T20:00' } }, []],
  [{ once: { at: '2026-03-06T20:00:30' } }, []],
  [{ once: { at: '2026-02-30T20:00' } }, ['schedule.once.at']],
  [{ once: { at: '2026-03-06T24:00' } }, ['schedule.once.at']],
  [{ once: { at: '2026-03-06 20:00' } }, ['schedule.once.at']],
  [{ once: null }, ['schedule.once.at']],
  [
    {
      recurring: {
        start: '2026-03-06T20:00',
        rule: 'FREQ=DAILY',
        exclude: ['2026-12-25', '2026-12-25T20:00', '2026-12-25T20:00Z'],
        include: ['2026-12-27T20:00', '2026-12-27T20:00:00Z'],
      },
    },
    [],
  ],
  [
    { recurring: { start: 'x', rule: '', exclude: ['2026-02-30'], include: ['2026-12-27'] } },
    [
      'schedule.recurring.start',
      'schedule.recurring.rule',
      'schedule.recurring.exclude[0]',
      'schedule.recurring.include[0]',
    ],
  ],
  [{ recurring: 5 }, ['schedule.recurring']],
])('the schedule %j is checked', (schedule, paths) => {
  expect(pathsOf(withSchedule(schedule))).toEqual(paths)
})

test('a schedule needs a default for every required parameter', () => {
  const parameters = [
    { name: 'region', required: true },
    { name: 'mood', required: true, default: 'grim' },
    { name: 'note' },
  ]
  expect(pathsOf({ ...withSchedule({ once: { at: '2026-03-06T20:00' } }), parameters })).toContain(
    'parameters[0].default',
  )
  expect(pathsOf({ parameters })).toEqual([])
})

test.each([
  [{ on: 'shard.boss-slain', where: { field: 'boss', op: 'EQ', value: 'Balron' }, count: 2 }, []],
  [{ on: 'shard.other', count: 0 }, ['.on', '.count']],
  [{ on: 'shard.boss-slain', count: 1_000_001 }, ['.count']],
  [{ where: { all: [5] }, count: 1.5 }, ['.on', '.where.all[0]', '.count']],
  [
    {
      on: 'shard.boss-slain',
      where: {
        all: [
          { field: 'boss', op: 'EQ', value: 'Balron' },
          { not: { field: 'boss', op: 'GT', value: 5 } },
          { any: [{ field: 'level', op: 'LT', value: 1 }] },
          { field: 'level', op: 'STARTS_WITH', value: 'x' },
        ],
      },
    },
    ['.where.all[1].not.value', '.where.all[2].any[0].value', '.where.all[3].op'],
  ],
])('the trigger gate %j is checked', (trigger, below) => {
  const path = 'phases[0].advance.trigger'
  expect(pathsOf(withGate({ trigger }))).toEqual(below.map((end) => path + end))
})

test('a field in a condition that the payload is not said to have is an issue, although payloads with it would pass', () => {
  const where = { any: [{ field: 'bos', op: 'EQ', value: 'Balron' }] }
  const { issues, warnings } = find(withGate({ trigger: { on: 'shard.boss-slain', where } }))
  expect(warnings).toEqual([])
  expect(issues.map(({ path, message }) => [path, message])).toEqual([
    [
      'phases[0].advance.trigger.where.any[0].field',
      expect.stringContaining('use one of boss, level, or have its module'),
    ],
  ])
})

test('warns of placeholders that no parameter fills and of what is none, each at its place, but not of JSON in a text', () => {
  const params = { a: 'Hi { region }', b: ['{}', '{"a": 1}', '{regoin}'], c: { 'a b': '{event.name} {region}' } }
  const { issues, warnings } = find(withStep({ actionId: 'core.log', params }))
  expect(issues).toEqual([])
  expect(warnings.map(({ path, message }) => [path, message])).toEqual([
    ['phases[0].steps[0].params.a', expect.stringContaining('"{ region }" is no placeholder')],
    ['phases[0].steps[0].params.b[0]', expect.stringContaining('"{}" is no placeholder')],
    ['phases[0].steps[0].params.b[2]', expect.stringContaining('{regoin} is no parameter')],
    ['phases[0].steps[0].params.c["a b"]', expect.stringContaining('"{event.name}" is no placeholder')],
  ])
})

test('warns of a concurrency key whose placeholder no parameter fills', () => {
  expect(find({ concurrencyKey: 'x:{regoin}' }).warnings).toEqual([
    { path: 'concurrencyKey', message: expect.stringContaining('{regoin}') },
  ])
})

test('JSON of any shape has issues and never throws', () => {
  const nested = (depth: number): unknown => JSON.parse(`${'{"a":['.repeat(depth)}1${']}'.repeat(depth)}`)
  const hostile = [
    null,
    undefined,
    5,
    'x',
    true,
    [],
    {},
    [[]],
    nested(3000),
    JSON.parse('{"__proto__":{"a":1}}'),
    '\0\ud800',
    Number.NaN,
  ]
  for (const value of hostile) {
    for (const draft of [
      { spec: value },
      { timeZone: value },
      { graceSeconds: value },
      { concurrencyKey: value },
      { parameters: value },
      { parameters: [value] },
      withSchedule(value),
      withSchedule({ once: value }),
      withSchedule({ recurring: value }),
      withPhases(value),
      withStep(value),
      withStep({ actionId: value, params: value }),
      withStep({ actionId: 'core.log', params: { deep: value } }),
      withGate(value),
      withGate({ after: value }),
      withGate({ trigger: value }),
      withGate({ trigger: { on: value, where: value, count: value } }),
    ]) {
      const { issues } = find(draft)
      expect(issues.every(({ path, message }) => typeof path === 'string' && message.length < 600)).toBe(true)
    }
  }
  expect(pathsOf(withStep({ actionId: 'core.log', params: { deep: nested(3000) } }))).toEqual([
    'phases[0].steps[0].params',
  ])
})

test('a schedule is judged in the zone of its draft', () => {
  const skipped = withSchedule({ once: { at: '2026-03-29T02:30' } })
  const warned = (change: object) => find({ ...skipped, ...change }).warnings.map(({ path }) => path)
  expect(warned({})).toContain('schedule.once.at')
  expect(warned({ timeZone: 'UTC' })).not.toContain('schedule.once.at')
  const never = withSchedule({ recurring: { start: '2026-03-06T20:00', rule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30' } })
  expect(pathsOf(never)).toContain('schedule.recurring.rule')
})
