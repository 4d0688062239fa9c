import { expect, test } from 'vitest'
import { showInstant } from '../../src/cli/instant.ts'
import { paintFor } from '../../src/cli/paint.ts'
import { runFrame } from '../../src/cli/run-frame.ts'
import type { RunView } from '../../src/cli/run-view.ts'
import { enterScreen } from '../../src/cli/screen.ts'
import { table } from '../../src/cli/table.ts'

test.each([
  ['UTC', 'UTC', 'minutes', '2026-03-06 23:30'],
  ['UTC', 'Africa/Abidjan', 'minutes', '2026-03-06 23:30'],
  ['UTC', 'America/New_York', 'minutes', '2026-03-06 23:30 (18:30 America/New_York)'],
  ['UTC', 'Europe/Berlin', 'seconds', '2026-03-06 23:30:05 (2026-03-07 00:30 Europe/Berlin)'],
  ['Europe/Berlin', 'Europe/Paris', 'millis', '2026-03-07 00:30:05.250'],
  ['UTC', 'Nowhere/Land', 'minutes', '2026-03-06 23:30'],
] as const)(
  'for a reader in %s an instant of an event in %s, to the %s, is %s',
  (viewerZone, eventZone, precision, shown) => {
    expect(showInstant('2026-03-06T23:30:05.250Z', { viewerZone, eventZone, precision })).toBe(shown)
  },
)

test('colours are for terminals that have them', () => {
  const painted = paintFor({ isTTY: true, hasColors: () => true })('red', 'no')
  expect(painted).toBe('\u001b[31mno\u001b[39m')
  expect(paintFor({ isTTY: true, hasColors: () => false })('red', 'no')).toBe('no')
  expect(paintFor({})('red', 'no')).toBe('no')
})

test('columns are as wide as their widest cell, colours not counted', () => {
  const paint = (text: string) => `<${text}>`
  expect(
    table(
      ['A', 'B', 'C'],
      [
        ['long one', { text: 'x', paint }, 'end'],
        ['', 'wider', ''],
      ],
    ),
  ).toBe(['A         B      C', 'long one  <x    >  end', '          wider'].join('\n'))
})

const RUN: RunView = {
  id: 'run_1',
  status: 'RUNNING',
  health: 'OK',
  cleanupStatus: 'NOT_REQUIRED',
  scope: 'yew',
  rehearsal: true,
  scheduledFor: '2026-03-06T20:00:00.000Z',
  startedAt: '2026-03-06T20:00:00.000Z',
  endedAt: null,
  timeZone: 'UTC',
  currentPhase: 'quiz',
  waitingCues: 0,
  lastError: null,
  endedBecause: null,
  definition: { id: 'def_1', slug: 'quiz', title: 'Quiz \u001b[2Jnight' },
  waitingOn: { kind: 'HOLD', description: 'Waits for the end of a hold.', until: '2026-03-06T20:01:00.000Z' },
  version: {
    version: 3,
    spec: {
      phases: [
        { key: 'doors', label: 'Doors' },
        { key: 'quiz', label: 'The quiz' },
      ],
    },
  },
  steps: [
    {
      id: 'step_1',
      phase: 'quiz',
      seq: 0,
      label: null,
      actionId: 'core.log',
      status: 'PENDING',
      parked: false,
      attempts: 2,
      dueAt: '2026-03-06T20:01:00.000Z',
      lastError: 'too loud',
    },
  ],
  gates: [],
  cues: [],
}
const LOG = ['one', 'two', 'three'].map((text, index) => ({
  line: index + 1,
  at: `2026-03-06T20:00:0${index}.000Z`,
  kind: 'step.message',
  phase: null,
  stepId: null,
  actor: { kind: 'SYSTEM', name: 'Cuelight' },
  detail: {},
  text,
}))
const FRAME = {
  run: RUN,
  log: LOG,
  remark: null,
  now: Date.parse('2026-03-06T20:00:29.500Z'),
  viewerZone: 'UTC',
  paint: paintFor({}),
}

test('a frame says what the run waits for and for how long, its phase, steps and log', () => {
  expect(runFrame(FRAME)).toEqual([
    'Quiz  [2Jnight  RUNNING  OK  REHEARSAL  in yew',
    'run_1  version 3  started 2026-03-06 20:00:00',
    'Waits for the end of a hold. (31 s)',
    '',
    'Phase 2 of 2: The quiz',
    ' PENDING    core.log  attempt 2; not before 2026-03-06 20:01:00; too loud',
    '',
    '20:00:00  one',
    '20:00:01  two',
    '20:00:02  three',
  ])
})

test('a frame fits its terminal: the log shows its end, and lines are cut', () => {
  const room = { columns: 20, rows: 10 }
  const lines = runFrame({ ...FRAME, remark: 'The connection is gone.', room })
  expect(lines).toHaveLength(10)
  expect(lines[0]).toBe('The connection is g…')
  expect(lines.slice(-2)).toEqual(['20:00:01  two', '20:00:02  three'])
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(20)
  expect(runFrame({ ...FRAME, room: { columns: 80, rows: 4 } })).toHaveLength(4)
})

test('a terminal is taken over for frames and given back once', () => {
  const written: unknown[] = []
  const screen = enterScreen({ write: (text: unknown) => written.push(text) > 0 })
  screen.draw(['one', 'two'])
  screen.leave()
  screen.leave()
  expect(written.join('')).toBe(
    '\u001b[?1049h\u001b[?25l\u001b[Hone\u001b[K\ntwo\u001b[K\u001b[J\u001b[?25h\u001b[?1049l',
  )
})
