import { expect, test } from 'vitest'
import { groupsOf, keyOfGroup } from '../../src/console/audit/audit-groups.ts'
import { didOf } from '../../src/console/audit/audit-words.ts'

const entry = (cursor: string, action = 'definition.update', more: object = {}) => ({
  cursor,
  node: {
    at: '2040-01-06T19:00:00.000Z',
    actor: { kind: 'TOKEN' as const, name: 'Mira' },
    action,
    subject: 'def_1',
    detail: {},
    ...more,
  },
})
const told = (...edges: ReturnType<typeof entry>[]) =>
  groupsOf(edges).map((group) => group.map(({ cursor }) => cursor).join(''))

test('a group that was opened stays it when more is saved', () => {
  const [group] = groupsOf([entry('b'), entry('a')])
  const [grown] = groupsOf([entry('c'), entry('b'), entry('a')])
  if (group === undefined || grown === undefined) throw new Error('There is no group.')
  expect(keyOfGroup(grown)).toBe(keyOfGroup(group))
})

test('what somebody saved of an event while writing it is one piece of work', () => {
  expect(told(entry('a', 'definition.publish'), entry('b'), entry('c'), entry('d', 'definition.create'))).toEqual([
    'a',
    'bc',
    'd',
  ])
})

test('what others did, to other events or between, is told by itself', () => {
  const odo = { actor: { kind: 'TOKEN' as const, name: 'Odo' } }
  expect(told(entry('a'), entry('b', 'definition.update', odo), entry('c'))).toEqual(['a', 'b', 'c'])
  expect(told(entry('a'), entry('b', 'definition.update', { subject: 'def_2' }))).toEqual(['a', 'b'])
  expect(told(entry('a'), entry('b', 'definition.verify'), entry('c'))).toEqual(['a', 'b', 'c'])
  expect(told(entry('a', 'token.create'), entry('b', 'token.create'))).toEqual(['a', 'b'])
})

test('an action that is switched off or on is said to be', () => {
  expect(didOf('action.setting', { enabled: false, reason: 'Too loud.' })).toBe('switched off')
  expect(didOf('action.setting', { enabled: true })).toBe('switched on')
  expect(didOf('action.setting', { enabled: true, caps: [{ dimension: 'creatures', cap: 3 }] })).toBe(
    'changed the setting of',
  )
  expect(didOf('token.revoke', {})).toBe('revoked the token of')
  expect(didOf('moon.eat', {})).toBe('did moon.eat to')
})
