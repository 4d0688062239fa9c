import { expect, test } from 'vitest'
import type { Content } from '../../src/console/definitions/content.ts'
import { type Difference, differences, pinned } from '../../src/console/definitions/differences.ts'
import type { StepName } from '../../src/console/ui/step-name.ts'

const content = (phases: unknown[], more: Partial<Content> = {}): Content => ({
  title: 'Quiz',
  description: null,
  timeZone: 'UTC',
  graceSeconds: 900,
  concurrencyKey: null,
  parameters: [],
  schedule: { manual: true },
  phases,
  ...more,
})
const say = (message: string, more: object = {}) => ({ actionId: 'core.log', params: { message }, ...more })
const stepName: StepName = ({ label, actionId }) => label || (actionId === 'core.log' ? 'Write to the log' : actionId)
const compare = (before: Content, after: Content) => differences(before, after, stepName)
const told = (found: Difference[]) =>
  found.map(({ where, before, after }) => `${where.join(' › ')}: ${before ?? '-'} → ${after ?? '-'}`)

test('drafts that differ in what says nothing are the same', () => {
  const one = content([{ key: 'a', steps: [say('x', { label: null })] }])
  const other = content([{ steps: [say('x')], key: 'a', advance: null }], { description: undefined })
  expect(compare(one, other)).toEqual([])
})

test('settings, parameters and the schedule are told by what they say', () => {
  const before = content([], { parameters: [{ name: 'room', default: 'main' }, { name: 'host' }] })
  const after = content([], {
    graceSeconds: 60,
    parameters: [
      { name: 'room', default: 'garden' },
      { name: 'size', label: 'Size' },
    ],
    schedule: { once: { at: '2040-01-06T20:00' } },
  })
  expect(told(compare(before, after))).toEqual([
    'grace in seconds: 900 → 60',
    'schedule › manual: true → -',
    'schedule › once › at: - → 2040-01-06T20:00',
    'Parameter host: host → -',
    'Parameter room › default: main → garden',
    'Parameter size: - → Size, size',
  ])
})

test('a step put between two others is one more, and the others are the same', () => {
  const before = content([{ key: 'a', steps: [say('1'), say('2'), say('3')] }])
  const wait = { actionId: 'core.wait', params: { for: '5m' } }
  const after = content([{ key: 'a', steps: [say('1'), wait, say('2'), say('three'), say('4')] }])
  expect(told(compare(before, after))).toEqual([
    'Phase a › step 2: - → core.wait',
    'Phase a › step 4 › Write to the log › params › message: 3 → three',
    'Phase a › step 5: - → core.log',
  ])
})

test('every step that is taken out is told, whatever stands around it', () => {
  const before = content([
    { key: 'a', steps: [say('1', { label: 'One' }), { actionId: 'core.wait', label: 'Rest' }, say('3')] },
  ])
  const after = content([{ key: 'a', steps: [{ actionId: 'core.wait', label: 'Long rest' }] }])
  expect(told(compare(before, after))).toEqual([
    'Phase a › step 1 › Long rest › label: Rest → Long rest',
    'Phase a › a step: One, core.log → -',
    'Phase a › a step: core.log → -',
  ])
})

test('phases of another order are told as that, and a gate by what it waits for', () => {
  const a = { key: 'a', steps: [] }
  const b = { key: 'b', steps: [], advance: { after: '5m' } }
  expect(told(compare(content([a, b]), content([{ ...b, advance: { after: '10m' } }, a])))).toEqual([
    'Order of the phases: a, b → b, a',
    'Phase b › gate › after: 5m → 10m',
  ])
})

test('a draft is compared as publishing would pin it', () => {
  const draft = content([{ key: 'a', steps: [say('x')] }])
  const version = content([{ key: 'a', label: 'a', steps: [say('x', { onFailure: 'SKIP' })] }])
  expect(compare(version, pinned(draft, [{ id: 'core.log', risk: 'NOTIFY' }]))).toEqual([])
  expect(told(compare(version, pinned(draft, [{ id: 'core.log', risk: 'CHANGE' }])))).toEqual([
    'Phase a › step 1 › Write to the log › if it fails: SKIP → PAUSE',
  ])
})

test('a step with a label is named by it, with its action where all of it came or went', () => {
  const before = content([{ key: 'a', steps: [say('1', { label: 'Greeting' }), say('2', { label: 'Rules' })] }])
  const after = content([{ key: 'a', steps: [say('one', { label: 'Greeting' })] }])
  expect(told(compare(before, after))).toEqual([
    'Phase a › step 1 › Greeting › params › message: 1 → one',
    'Phase a › a step: Rules, core.log → -',
  ])
})
