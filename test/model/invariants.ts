import { formatId } from '../../src/domain/ids.ts'
import { isTerminal, mayBecome, type RunStatus } from '../../src/domain/run.ts'
import { isStepTerminal } from '../../src/domain/step.ts'
import type { Stage } from '../support/stage.ts'

type Facts = Awaited<ReturnType<typeof read>>

const unresolved = ['ACTIVE', 'REVERTING', 'FAILED']

/** What is true of a run whatever happened to it, by the section of the specification that promises it. */
const INVARIANTS: Record<string, (facts: Facts) => boolean> = {
  '5: a run has an end exactly when nothing can follow': ({ run }) => isTerminal(run.status) === (run.endedAt !== null),
  '5: statuses in the log follow one another': ({ log }) => {
    const moves = log.flatMap(({ kind, detail }) => {
      const { from, to } = detail as { from?: RunStatus; to?: RunStatus }
      return (kind === 'run.status' || kind === 'run.control') && from && to && from !== to ? [[from, to] as const] : []
    })
    return moves.every(([from, to], index) => mayBecome(from, to) && (moves[index - 1]?.[1] ?? 'SCHEDULED') === from)
  },
  '5: nothing behind a step that is open was ever called': ({ run }) => {
    const open = run.steps.findIndex(({ status }) => !isStepTerminal(status))
    return open === -1 || run.steps.slice(open + 1).every(({ claimNo }) => claimNo === 0)
  },
  '5: at most one action is called': ({ run }) =>
    run.steps.filter(({ status, parked }) => status === 'RUNNING' && !parked).length <= 1,
  '8: a gate counts up to what it needs, and opens then': ({ run }) =>
    run.gates.every(
      ({ kind, tally, needed, openedBy }) =>
        kind !== 'ON' ||
        ((tally ?? 0) <= (needed ?? 0) &&
          (openedBy !== 'TRIGGER' || tally === needed) &&
          (tally !== needed || openedBy !== null)),
    ),
  '8: each trigger that counted is in the log with its tally, and no other': ({ run, log }) =>
    run.gates.every(({ phase, kind, tally }) => {
      const counted = log.flatMap((line) =>
        line.kind === 'condition.evaluated' && line.phase === phase && line.detail.matched ? [line.detail.tally] : [],
      )
      return kind !== 'ON' || (counted.length === tally && counted.every((each, index) => each === index + 1))
    }),
  '8: a gate that a person forced has one line that says so, and none says what else let it go': ({ run, log }) =>
    run.gates.every(({ phase, openedBy }) => {
      const said = log.flatMap((line) =>
        line.kind === 'phase.advanced' && line.phase === phase ? [line.detail.because] : [],
      )
      return openedBy === 'FORCED' ? said.join() === 'FORCED' : said.every((because) => because === openedBy)
    }),
  '9: the meter shows what was paid, each step once, and never more than the cap': ({ run, budget }) => {
    const paid = run.steps.filter(({ spent }) => spent).reduce((sum, { params }) => sum + costOf(params), 0)
    return budget.every(({ consumed, cap }) => consumed === paid && (cap === null || consumed <= cap))
  },
  '9: no step was called that had not paid': ({ run, calledSteps }) =>
    run.steps.every(({ id, spent }) => spent || !calledSteps.has(id)),
  '10: CLEAN only when nothing is unresolved': ({ run, things }) =>
    run.cleanupStatus !== 'CLEAN' || things.every(({ status }) => !unresolved.includes(status)),
  '10: INCOMPLETE only when something is unresolved and nothing is left to try': ({ run, things }) =>
    run.cleanupStatus !== 'INCOMPLETE' ||
    (things.some(({ status }) => status === 'FAILED') &&
      things.every(({ status }) => status !== 'ACTIVE' && status !== 'REVERTING')),
  '10: a run that made anything does not end without a cleanup': ({ run, things }) =>
    !isTerminal(run.status) || run.cleanupStatus !== 'NOT_REQUIRED' || things.length === 0,
  '10: one thing after the other is taken back': ({ things }) =>
    things.filter(({ status }) => status === 'REVERTING').length <= 1,
  '10: before the end only what has a lease is taken back': ({ run, things }) =>
    run.cleanupStatus !== 'NOT_REQUIRED' ||
    things.every(({ revertAttempts, leaseUntil }) => revertAttempts === 0 || leaseUntil !== null),
  '10: what was taken back is said once': ({ log, things }) => {
    const said = log.filter(({ kind }) => kind === 'resource.reverted').length
    return said === things.filter(({ status }) => status === 'REVERTED').length
  },
  '10: each call to take something back has a line that says how it ended': ({ log, things }) =>
    things.every(({ id, claimNo, status }) => {
      const ended = log.filter(
        ({ kind, detail }) => endsRevert(kind, detail) && detail.resourceId === formatId('Resource', id),
      )
      return claimNo === ended.length + (status === 'REVERTING' ? 1 : 0)
    }),
  '13: the lines are numbered from 1 without a gap': ({ log, run }) =>
    log.every(({ line }, index) => line === index + 1) && run.lastLine === log.length,
}

/** What is given up because its calls were interrupted has a line for the last one already. */
const endsRevert = (kind: string, detail: Record<string, unknown>): boolean =>
  ['step.retry', 'step.reclaimed', 'resource.reverted'].includes(kind) ||
  (kind === 'resource.failed' && detail.error !== 'gave up after repeated interruptions')

export const INVARIANT_NAMES = Object.keys(INVARIANTS)

/** The names of those that do not hold. */
export async function brokenInvariants(stage: Stage, runId: string): Promise<string[]> {
  const facts = await read(stage, runId)
  return INVARIANT_NAMES.filter((name) => !INVARIANTS[name]?.(facts))
}

function costOf(params: unknown): number {
  return (params as { count?: number }).count ?? 0
}

async function read(stage: Stage, runId: string) {
  const { prisma } = stage.db
  const [run, log, things, budget] = await Promise.all([
    stage.run(runId),
    stage.log(runId),
    prisma.resource.findMany({ where: { runId } }),
    prisma.budgetLine.findMany({ where: { runId } }),
  ])
  const called = stage.script.calls.map(({ stepId }) => stepId?.slice('step_'.length) ?? '')
  return {
    run,
    log: log.map((line) => ({ ...line, detail: line.detail as Record<string, unknown> })),
    things,
    budget,
    calledSteps: new Set(called),
  }
}
