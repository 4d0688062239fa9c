import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  isTerminal,
  mayBecome,
  mayControl,
  NEXT_STATUSES,
  RUN_CONTROLS,
  type RunControl,
  type RunStatus,
} from '../../src/domain/run.ts'
import { mayControlStep, NEXT_STEP_STATUSES, type StepControlView } from '../../src/domain/step.ts'

const doc = readFileSync('docs/state-machine.md', 'utf8')
const STATUSES = Object.keys(NEXT_STATUSES) as RunStatus[]

function diagram(table: Record<string, readonly string[]>): string {
  const arrows = Object.entries(table).flatMap(([from, tos]) => tos.map((to) => `  ${from} --> ${to}\n`))
  return `\`\`\`mermaid\nstateDiagram-v2\n${arrows.join('')}\`\`\``
}

test('the diagrams in the docs are what the tables say', () => {
  expect(doc).toContain(diagram(NEXT_STATUSES))
  expect(doc).toContain(diagram(NEXT_STEP_STATUSES))
  for (const [control, { from, role }] of Object.entries(RUN_CONTROLS)) {
    expect(doc).toContain(`| ${control} | ${from.join(', ')} | ${role} |`)
  }
})

test('only SCHEDULED can become MISSED, and only ENDING COMPLETED', () => {
  expect(STATUSES.filter((status) => mayBecome(status, 'MISSED'))).toEqual(['SCHEDULED'])
  expect(STATUSES.filter((status) => mayBecome(status, 'COMPLETED'))).toEqual(['ENDING'])
  expect(STATUSES.filter(isTerminal)).toEqual(['COMPLETED', 'CANCELLED', 'FAILED', 'MISSED'])
})

test.each<[RunControl, RunStatus[]]>([
  ['RESCHEDULE', ['SCHEDULED']],
  ['CANCEL', ['SCHEDULED', 'STARTING', 'RUNNING', 'PAUSED', 'ENDING']],
  ['PAUSE', ['STARTING', 'RUNNING']],
  ['RESUME', ['PAUSED']],
  ['ADVANCE', ['RUNNING', 'PAUSED']],
  ['END_HOLD', ['RUNNING', 'PAUSED']],
  ['RETRY_CLEANUP', ['COMPLETED', 'CANCELLED', 'FAILED']],
])('%s may act from %s alone', (control, from) => {
  const view = { cleanupStatus: 'INCOMPLETE', held: true, gateClosed: true } as const
  expect(STATUSES.filter((status) => mayControl(control, { ...view, status }))).toEqual(from)
})

test('a control also needs what it is about', () => {
  const view = { status: 'RUNNING', cleanupStatus: 'NOT_REQUIRED', held: false, gateClosed: false } as const
  expect(mayControl('ADVANCE', view)).toBe(false)
  expect(mayControl('END_HOLD', view)).toBe(false)
  expect(mayControl('RETRY_CLEANUP', { ...view, status: 'COMPLETED' })).toBe(false)
})

test('a step in flight takes no control, a parked one is claimed, confirmed or skipped', () => {
  const flying: StepControlView = {
    runStatus: 'RUNNING',
    status: 'RUNNING',
    parked: false,
    claimed: false,
    furthest: true,
  }
  const controls = ['CLAIM', 'TAKE_OVER', 'CONFIRM', 'SKIP', 'RETRY'] as const
  const may = (view: StepControlView) => controls.filter((control) => mayControlStep(control, view))
  expect(may(flying)).toEqual([])
  expect(may({ ...flying, parked: true })).toEqual(['CLAIM', 'CONFIRM', 'SKIP'])
  expect(may({ ...flying, parked: true, claimed: true })).toEqual(['TAKE_OVER', 'CONFIRM', 'SKIP'])
  expect(may({ ...flying, status: 'FAILED', runStatus: 'PAUSED' })).toEqual(['RETRY'])
  expect(may({ ...flying, status: 'FAILED' })).toEqual([])
  expect(may({ ...flying, status: 'FAILED', runStatus: 'PAUSED', furthest: false })).toEqual([])
  expect(may({ ...flying, status: 'PENDING', runStatus: 'SCHEDULED' })).toEqual(['SKIP'])
})
