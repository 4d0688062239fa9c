import type { Stage } from '../support/stage.ts'
import { inFlight, type Model } from './model.ts'

/** What the model says, in the form that the database is read in. */
export function expected(model: Model) {
  const isOver = !['RUNNING', 'PAUSED'].includes(model.status)
  const { consumed, things, cleanup } = model.effects
  return {
    status: model.status,
    phase: model.phase,
    degraded: model.degraded,
    hold: isOver || model.hold <= model.now ? 0 : model.hold,
    inFlight: inFlight(model) !== undefined,
    gate: shown(model.gates[model.phase]),
    steps: model.steps
      .filter((step) => step.phase <= model.phase)
      .map(({ status, parked, attempts, held, due, spent }) => {
        const waits = status === 'PENDING' && due > model.now
        return { status, parked, attempts, held: held && waits, due: waits ? due : 0, spent }
      }),
    consumed,
    cleanup,
    things: things.map(({ placeholder, status, attempts, due }) => ({
      placeholder,
      status,
      attempts,
      due: status === 'ACTIVE' && due > model.now ? due : 0,
    })),
  }
}

const shown = (gate: { tally: number; open: boolean } | null | undefined) =>
  gate ? { tally: gate.tally, open: gate.open } : null

/** What the database says. Ids are in the order of making. */
export async function seen(stage: Stage, runId: string) {
  const { prisma } = stage.db
  const [run, things, budget] = await Promise.all([
    stage.run(runId),
    prisma.resource.findMany({ where: { runId }, orderBy: { id: 'asc' } }),
    prisma.budgetLine.findMany({ where: { runId } }),
  ])
  const gate = run.gates.find(({ phaseIndex }) => phaseIndex === run.phaseIndex)
  const now = stage.clock.now()
  const until = (at: Date | null) => (at === null || at.getTime() <= now ? 0 : at.getTime())
  return {
    status: run.status,
    phase: run.phaseIndex,
    degraded: run.health === 'DEGRADED',
    hold: until(run.holdUntil),
    inFlight: run.inFlight !== null,
    gate: shown(gate && { tally: gate.tally ?? 0, open: gate.openedAt !== null }),
    steps: run.steps.map(({ status, parked, attempts, held, dueAt, spent }) => {
      const due = status === 'PENDING' ? until(dueAt) : 0
      return { status, parked, attempts, held: held && due > 0, due, spent }
    }),
    consumed: budget.reduce((sum, line) => sum + line.consumed, 0),
    cleanup: run.cleanupStatus,
    things: things.map(({ placeholder, status, revertAttempts, revertDueAt }) => ({
      placeholder,
      status,
      attempts: revertAttempts,
      due: status === 'ACTIVE' ? until(revertDueAt) : 0,
    })),
  }
}
