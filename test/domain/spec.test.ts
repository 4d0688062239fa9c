import { expect, test } from 'vitest'
import type { Catalog } from '../../src/domain/catalog.ts'
import { normaliseParameter } from '../../src/domain/parameters.ts'
import {
  draftEquals,
  normaliseSpec,
  parseDraftSpec,
  parseParameters,
  parseVersionSpec,
  pinSpec,
} from '../../src/domain/spec.ts'

const RISKS = { 'a.notify': 'NOTIFY', 'a.change': 'CHANGE', 'a.irreversible': 'IRREVERSIBLE' } as const
const CATALOG: Catalog = {
  action: (id) =>
    id === 'a.notify' || id === 'a.change' || id === 'a.irreversible'
      ? { version: 3, risk: RISKS[id], paramsSchema: {}, checkDraft: () => [] }
      : undefined,
  trigger: () => undefined,
}

test('a draft holds what was sent, without what is not set', () => {
  const draft = normaliseSpec({
    schedule: { manual: true, once: null },
    phases: [
      {
        key: 'a',
        label: null,
        steps: [{ actionId: 'a.change', label: undefined, params: null, onFailure: null }],
        advance: { after: '30m', trigger: null },
      },
      { key: 'b', label: 'B', steps: [], advance: { trigger: { on: 't', where: null, count: 2 } } },
      { key: 'c', steps: [], advance: null },
    ],
  })
  expect(draft).toEqual({
    schedule: { manual: true },
    phases: [
      { key: 'a', steps: [{ actionId: 'a.change', params: {} }], advance: { after: '30m' } },
      { key: 'b', label: 'B', steps: [], advance: { trigger: { on: 't', count: 2 } } },
      { key: 'c', steps: [] },
    ],
  })
  expect(parseDraftSpec(JSON.parse(JSON.stringify(draft)))).toEqual(draft)
})

test('schedules are kept as they were sent', () => {
  const scheduleOf = (schedule: Parameters<typeof normaliseSpec>[0]['schedule']) =>
    normaliseSpec({ schedule, phases: [] }).schedule
  expect(scheduleOf({ manual: false })).toEqual({ manual: false })
  expect(scheduleOf({ once: { at: 'soon' } })).toEqual({ once: { at: 'soon' } })
  expect(scheduleOf({ recurring: { start: 's', rule: 'r', exclude: ['e'] } })).toEqual({
    recurring: { start: 's', rule: 'r', exclude: ['e'], include: [] },
  })
})

test('publishing pins each step: its action version, and a disposition by its risk unless the author said one', () => {
  const draft = normaliseSpec({
    schedule: { manual: true },
    phases: [
      {
        key: 'a',
        steps: [
          { actionId: 'a.notify' },
          { actionId: 'a.change', label: 'Change' },
          { actionId: 'a.irreversible' },
          { actionId: 'a.irreversible', onFailure: 'SKIP' },
        ],
      },
    ],
  })
  const version = pinSpec(draft, CATALOG)
  expect(version).toEqual({
    schedule: { manual: true },
    phases: [
      {
        key: 'a',
        label: 'a',
        steps: [
          { actionId: 'a.notify', actionVersion: 3, params: {}, onFailure: 'SKIP' },
          { actionId: 'a.change', actionVersion: 3, params: {}, onFailure: 'PAUSE', label: 'Change' },
          { actionId: 'a.irreversible', actionVersion: 3, params: {}, onFailure: 'ABORT_RUN' },
          { actionId: 'a.irreversible', actionVersion: 3, params: {}, onFailure: 'SKIP' },
        ],
      },
    ],
  })
  expect(parseVersionSpec(JSON.parse(JSON.stringify(version)))).toEqual(version)
})

test.each([
  [null],
  ['x'],
  [{}],
  [{ schedule: {}, phases: [] }],
  [{ schedule: { manual: true }, phases: [{ key: 'a' }] }],
])('a stored version spec of %j cannot be read', (json) => {
  expect(parseVersionSpec(json)).toBeNull()
})

test('params are kept whatever their keys are named', () => {
  const json = JSON.parse(
    '{"schedule":{"manual":true},"phases":[{"key":"a","steps":[{"actionId":"x","params":{"__proto__":{"a":1}}}]}]}',
  )
  expect(JSON.stringify(parseDraftSpec(json))).toContain('"__proto__":{"a":1}')
})

test('two that differ in the order of keys only are equal', () => {
  const settings = {
    timeZone: 'UTC',
    graceSeconds: 900,
    concurrencyKey: null,
    parameters: [normaliseParameter({ name: 'a' })],
  }
  const one = { ...settings, spec: { a: 1, b: { c: [1, 2], d: null } } }
  expect(draftEquals(one, { spec: { b: { d: null, c: [1, 2] }, a: 1 }, ...settings })).toBe(true)
  expect(draftEquals(one, { ...settings, spec: { a: 1, b: { c: [2, 1], d: null } } })).toBe(false)
  expect(draftEquals(one, { ...one, timeZone: 'Europe/Berlin' })).toBe(false)
})

test('stored parameters are read with their defaults', () => {
  expect(parseParameters([{ name: 'region' }])).toEqual([normaliseParameter({ name: 'region' })])
  expect(() => parseParameters([{ label: 'x' }])).toThrow()
})

test('a stored draft with nulls is read like one that was sent with them', () => {
  const steps = [{ actionId: 'x', label: null, params: null, onFailure: null }]
  const json = {
    schedule: { manual: true, once: null, recurring: null },
    phases: [{ key: 'a', label: null, steps, advance: null }],
  }
  expect(parseDraftSpec(json)).toEqual({
    schedule: { manual: true },
    phases: [{ key: 'a', steps: [{ actionId: 'x', params: {} }] }],
  })
  expect(parseDraftSpec({ ...json, phases: [{ key: 'a' }] })).toBeNull()
})
