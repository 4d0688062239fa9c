import { expect, test } from 'vitest'
import { changeStep, draftOf, NEW_STEP, type Picture, type Step } from '../../src/domain/picture.ts'

const step = (id: string): Step => ({
  ...NEW_STEP,
  id,
  phase: 'one',
  phaseIndex: 0,
  seq: 0,
  actionId: 'core.log',
  actionVersion: 1,
  label: null,
  params: {},
  onFailure: 'PAUSE',
  idempotencyKey: id,
})

// What a draft's steps need of a picture.
const pictureOf = (...steps: Step[]) => ({ run: {}, gate: null, ledger: {}, steps }) as unknown as Picture

test('a step is changed in the draft alone, and the others are the same objects', () => {
  const [a, b] = [step('a'), step('b')]
  const picture = pictureOf(a, b)
  const draft = draftOf(picture)
  const changed = changeStep(draft, a, { status: 'RUNNING', attempts: 1 })
  expect(changed).toEqual({ ...step('a'), status: 'RUNNING', attempts: 1 })
  expect(draft.steps[0]).toBe(changed)
  expect(draft.steps[1]).toBe(b)
  expect([...draft.touched]).toEqual([['a', changed]])
  expect(picture.steps).toEqual([step('a'), step('b')])
})

test('a later change keeps an earlier one, whichever of its objects the step is named by', () => {
  const a = step('a')
  const draft = draftOf(pictureOf(a))
  changeStep(draft, a, { dueAt: 5, held: true })
  changeStep(draft, a, { status: 'RUNNING' })
  expect([...draft.touched.values()]).toEqual([{ ...step('a'), dueAt: 5, held: true, status: 'RUNNING' }])
  expect(draft.steps).toEqual([...draft.touched.values()])
})

test('a new step that changes is written as new, once, as it is then', () => {
  const a = step('a')
  const draft = draftOf(pictureOf())
  draft.steps = [a]
  draft.created.set('a', a)
  const changed = changeStep(draft, a, { dueAt: 5 })
  expect([...draft.created.values()]).toEqual([changed])
  expect(draft.touched.size).toBe(0)
})

test('a step of another phase is refused', () => {
  expect(() => changeStep(draftOf(pictureOf(step('a'))), step('b'), {})).toThrow(/step b is not of/)
})
