import { expect, test } from 'vitest'
import { runControl, runHealth, runStatus, stepControl, stepLate, stepRetry, stepStatus } from '../../src/domain/log.ts'

const at = 0
const actor = { kind: 'USER' as const, name: 'Mira' }
const step = { id: '', phase: 'one', label: 'Shout', actionId: 'core.announce', attempts: 1 }

test('a line ends with one full stop, whether what others wrote brings one or not', () => {
  for (const said of ['the channel is gone', 'the channel is gone.']) {
    const lines = [
      runStatus({ at }, { from: 'RUNNING', to: 'PAUSED', because: said }),
      runHealth({ at }, { to: 'DEGRADED', because: said }),
      runControl({ at, actor }, { control: 'PAUSE', from: 'RUNNING', to: 'PAUSED', reason: said }),
      stepStatus({ at, step }, { to: 'FAILED', error: said }),
      stepRetry({ at, step }, { attempt: 1, of: 3, dueAt: 0, error: said }),
      stepControl({ at, actor, step }, { control: 'SKIP', reason: said }),
      stepLate({ at, step }, said),
    ]
    for (const { text } of lines) expect(text).toMatch(/[^.]: the channel is gone\.$/)
    expect(runStatus({ at }, { from: 'RUNNING', to: 'FAILED', because: said, cancelledSteps: 2 }).text).toBe(
      'The run failed: the channel is gone (2 steps cancelled).',
    )
  }
})

test('a question, a shout and an ellipsis stay as they are', () => {
  for (const reason of ['Ready?', 'Storm!', 'Wait…', 'Wait...'])
    expect(stepControl({ at, actor, step }, { control: 'CONFIRM', reason }).text).toBe(
      `Mira confirmed "Shout": ${reason}`,
    )
})
