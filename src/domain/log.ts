import { type Actor, SYSTEM } from './actor.ts'
import type { BudgetCap } from './budget.ts'
import { formatDuration } from './duration.ts'
import { formatId } from './ids.ts'
import { type At, clock, iso, line, plural, type RunLine, sentence, tail } from './log-line.ts'
import type { RunHealth, RunStatus } from './run.ts'
import { RUN_CONTROLS, type RunControl } from './run.ts'

export * from './ledger-log.ts'
export type { RunLine } from './log-line.ts'
export * from './step-log.ts'

const STATUS_TEXT: Record<RunStatus, string> = {
  SCHEDULED: 'The run is scheduled',
  STARTING: 'The run is starting',
  RUNNING: 'The run is running',
  PAUSED: 'The run is paused',
  ENDING: 'The run is ending',
  COMPLETED: 'The run is completed',
  CANCELLED: 'The run is cancelled',
  FAILED: 'The run failed',
  MISSED: 'The run was missed',
}

/** The row of a run was made. */
export function runCreated(
  where: At & { actor: Actor },
  detail: {
    source: 'MANUAL' | 'SCHEDULE'
    version: number
    scope: string
    rehearsal: boolean
    params: Record<string, unknown>
    scheduledFor: number
    adjusted?: 'GAP' | 'OVERLAP'
    shiftMinutes?: number
  },
): RunLine {
  const what = detail.rehearsal ? 'A rehearsal' : 'A run'
  const by = detail.source === 'SCHEDULE' ? 'by the schedule' : `by ${where.actor.name}`
  const scope = detail.scope === '' ? '' : ` in ${detail.scope}`
  return line(
    'run.created',
    where,
    { ...detail, scheduledFor: iso(detail.scheduledFor) },
    `${what} of version ${detail.version}${scope} was created ${by}, to start at ${clock(detail.scheduledFor)}.`,
  )
}

/** The budget was seeded, or its caps are others now that the run starts. `budget` is not empty. */
export function runBudget(where: At, budget: readonly BudgetCap[]): RunLine {
  const words = budget.map(({ dimension, cap, from }) =>
    cap === null ? `${dimension} without a cap` : `at most ${cap} ${dimension} (set for ${from})`,
  )
  return line('run.budget', where, { dimensions: budget }, sentence(`The run's budget: ${words.join(', ')}`))
}

/**
 * A new version took an upcoming run along, or cancelled it; `from` and `to`: where its start was moved, if it was.
 * `zoneData`: it was newer zone data that left the run's own version without the occurrence.
 */
export function runSuperseded(
  where: At,
  detail: {
    version: number
    previousVersion: number
    from?: number
    to?: number
    cancelled: boolean
    zoneData?: string
  },
): RunLine {
  const { from, to, ...rest } = detail
  const moved = from === undefined || to === undefined ? null : { from: iso(from), to: iso(to) }
  const cause = detail.zoneData === undefined ? '' : ` by the zone data ${detail.zoneData}`
  const what = detail.cancelled
    ? `no longer has this occurrence${cause}, and the run is cancelled`
    : `takes the run along from version ${detail.previousVersion}${to === undefined ? '' : `, to start at ${clock(to)}`}`
  return line('run.superseded', where, { ...rest, ...moved }, `Version ${detail.version} ${what}.`)
}

/** Newer zone data moved the start of an upcoming run. */
export function runMoved(
  where: At,
  detail: { scheduledFrom: number; scheduledFor: number; zoneData: string },
): RunLine {
  const { scheduledFrom, scheduledFor, zoneData } = detail
  return line(
    'run.moved',
    where,
    { scheduledFrom: iso(scheduledFrom), scheduledFor: iso(scheduledFor), zoneData },
    `The zone data ${zoneData} moves the start from ${clock(scheduledFrom)} to ${clock(scheduledFor)}.`,
  )
}

/** The runner, or archiving, moved the run's status. */
export function runStatus(
  where: At,
  change: { from: RunStatus; to: RunStatus; because?: string; cancelledSteps?: number },
): RunLine {
  const steps = change.cancelledSteps ? ` (${plural(change.cancelledSteps, 'step')} cancelled)` : ''
  return line('run.status', where, { ...change }, sentence(`${STATUS_TEXT[change.to]}${tail(change.because)}${steps}`))
}

/** A person did something to the run. */
export function runControl(
  where: At & { actor: Actor },
  change: { control: RunControl; from: RunStatus; to: RunStatus; reason?: string; scheduledFor?: number },
): RunLine {
  const { scheduledFor, ...detail } = change
  const to = scheduledFor === undefined ? '' : ` to ${clock(scheduledFor)}`
  return line(
    'run.control',
    where,
    { ...detail, ...(scheduledFor === undefined ? {} : { scheduledFor: iso(scheduledFor) }) },
    sentence(`${where.actor.name} ${RUN_CONTROLS[change.control].past} the run${to}${tail(change.reason)}`),
  )
}

/** A start is held by the holder of its concurrency key; `heldBy` is the holder's bare UUID. */
export function runBlocked(
  where: At,
  detail: { concurrencyKey: string; heldBy: string; holderStatus: RunStatus },
): RunLine {
  const heldBy = formatId('Run', detail.heldBy)
  return line('run.blocked', where, { ...detail, heldBy }, blockedBecause(detail))
}

/** The sentence for a run that waits for its concurrency key; its `lastError` meanwhile. */
export function blockedBecause(detail: { concurrencyKey: string; heldBy: string; holderStatus: RunStatus }): string {
  return `Waits for ${formatId('Run', detail.heldBy)} (${detail.holderStatus}), which holds the concurrency key "${detail.concurrencyKey}".`
}

/** The run's health got worse, or it began to wait too long for a trigger; `to` is its health from then on. */
export function runHealth(where: At, detail: { to: RunHealth; because: string; stalledSince?: number }): RunLine {
  const { stalledSince, ...rest } = detail
  const isStall = stalledSince !== undefined
  return line(
    'run.health',
    where,
    { ...rest, ...(isStall ? { stalledSince: iso(stalledSince) } : {}) },
    sentence(`The run is ${isStall ? 'stalled' : 'degraded'}${tail(detail.because)}`),
  )
}

export function phaseEntered(
  where: At & { phase: string },
  detail: { index: number; steps: number; label: string },
): RunLine {
  const { label, ...rest } = detail
  return line('phase.entered', where, rest, `Phase "${label}" begins, with ${plural(detail.steps, 'step')}.`)
}

/** A gate was armed. */
export function phaseGate(
  where: At & { phase: string },
  detail: { gate: 'AFTER'; after: string } | { gate: 'ON'; trigger: string; needed: number; where?: string },
  description: string,
): RunLine {
  return line('phase.gate', where, detail, description)
}

/** A trigger met a gate that waits; the payload may be added to the detail by who stores many such lines. */
export function conditionEvaluated(
  where: At & { phase: string; actor: Actor },
  detail: { trigger: string; payload?: Record<string, unknown>; matched: boolean; tally: number; needed: number },
): RunLine {
  const { trigger, matched, tally, needed } = detail
  const verdict = matched ? 'counts' : "does not meet the gate's condition"
  return line('condition.evaluated', where, detail, `${trigger} happened and ${verdict}: ${tally} of ${needed}.`)
}

/** A gate that was waited for let the phase go, or a person forced it. */
export function phaseAdvanced(
  where: At & { phase: string },
  detail: {
    because: 'ELAPSED' | 'TRIGGER' | 'FORCED'
    waitedSeconds: number
    trigger?: string
    tally?: number
    needed?: number
    reason?: string
  },
): RunLine {
  const waited = `after ${formatDuration(detail.waitedSeconds * 1000)}`
  const text =
    detail.because === 'FORCED'
      ? sentence(`${(where.actor ?? SYSTEM).name} advanced the phase ${waited}${tail(detail.reason)}`)
      : detail.because === 'ELAPSED'
        ? `The phase's time is over: its gate opened ${waited}.`
        : `${detail.trigger} opened the phase's gate ${waited} (${detail.tally} of ${detail.needed}).`
  return line('phase.advanced', where, detail, text)
}

export function phaseCompleted(where: At & { phase: string }, detail: { index: number; label: string }): RunLine {
  return line('phase.completed', where, { index: detail.index }, `Phase "${detail.label}" is completed.`)
}
