import { createDefinition, publishDefinition, updateDefinition } from '../../src/controls/definitions.ts'
import type { Result } from '../../src/controls/result.ts'
import type { EventSpecInput, ScheduleInput } from '../../src/domain/spec.ts'
import { MIRA, type Stage } from './stage.ts'

export type ScheduledEvent = {
  schedule: ScheduleInput
  phases?: EventSpecInput['phases']
  timeZone?: string
  graceSeconds?: number
  concurrencyKey?: string | null
  parameters?: { name: string; default?: string; required?: boolean }[]
}

const PHASES: EventSpecInput['phases'] = [
  { key: 'main', steps: [{ actionId: 'test.change', params: { key: 'work' }, onFailure: 'PAUSE' }] },
]

/** Every day at that local time, from a Friday in March on. */
export const daily = (time = '20:00', start = '2026-03-06'): ScheduleInput => ({
  recurring: { start: `${start}T${time}`, rule: 'FREQ=DAILY' },
})

/** Fails the test where a control refused. */
export function done<T>(result: Result<T>): T {
  if (result.error !== undefined) throw new Error(JSON.stringify(result))
  return result
}

let events = 0

/** Creates and publishes an event with a schedule, as an operator does, without waiting for its runs to be made. */
export async function publishScheduled(stage: Stage, event: ScheduledEvent) {
  const { schedule, phases = PHASES, ...settings } = event
  events += 1
  const input = { slug: `scheduled-${events}`, title: 'Scheduled', ...settings, spec: { schedule, phases } }
  const { definitionId } = done(await createDefinition(stage.ctx, MIRA, input))
  return done(await publishDefinition(stage.ctx, MIRA, { id: definitionId }))
}

/** Changes an event and publishes it anew. */
export async function republish(stage: Stage, definitionId: string, event: Partial<ScheduledEvent>) {
  const { schedule, phases = PHASES, ...settings } = event
  const spec = schedule === undefined ? {} : { spec: { schedule, phases } }
  done(await updateDefinition(stage.ctx, MIRA, { id: definitionId, ...settings, ...spec }))
  return done(await publishDefinition(stage.ctx, MIRA, { id: definitionId }))
}

/** The runs of a definition, in the order of their starts. */
export function runsOf(stage: Stage, definitionId: string) {
  return stage.db.prisma.run.findMany({
    where: { definitionId },
    orderBy: [{ scheduledFor: 'asc' }, { id: 'asc' }],
    include: { steps: true },
  })
}

/** Of each run what tells it from the others: key, start and status. */
export async function planOf(stage: Stage, definitionId: string): Promise<string[]> {
  const runs = await runsOf(stage, definitionId)
  return runs.map(
    ({ occurrenceKey, scheduledFor, status }) => `${occurrenceKey} ${scheduledFor.toISOString()} ${status}`,
  )
}
