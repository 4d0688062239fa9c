import { beginCleanup } from './brought.ts'
import { failRun } from './disposition.ts'
import { armGate, gateLine, isOpen, openIfElapsed, waitedSeconds, waitForGate } from './gate.ts'
import * as log from './log.ts'
import { changeStep, type Draft, type Instant, NEW_STEP, type Step } from './picture.ts'
import type { VersionPhase, VersionSpec } from './spec.ts'
import { isStepTerminal } from './step.ts'
import { type PlaceholderValues, renderParams } from './template.ts'

export type ProgressRule = {
  /** Null where the pinned version cannot be read. */
  spec: VersionSpec | null
  now: Instant
  /** Mints a new step's id and idempotency key. */
  mint: (runId: string) => { id: string; idempotencyKey: string }
  /** False: the run has had its turn; what is due next is left for the next pass. */
  mayDispatch: boolean
  /** How long a trigger may be waited for before the run counts as stalled. */
  stallMs: number
}

/**
 * Moves a run on as far as it goes without calling anything: enters phases, opens gates, ends the run. Answers the step
 * that was claimed for dispatch; null where the run now waits for an instant (`run.wakeAt`), a person or nothing.
 */
export function progress(draft: Draft, rule: ProgressRule): Step | null {
  const { run } = draft
  run.wakeAt = null
  for (;;) {
    if (run.status === 'STARTING') {
      if (!enterPhase(draft, 0, rule)) return null
    } else if (run.status === 'ENDING') {
      // Who cleans up wakes the run when that has ended.
      if (run.cleanupStatus !== 'PENDING') complete(draft, rule.now)
      return null
    } else if (run.status !== 'RUNNING') {
      return null
    } else {
      openIfElapsed(draft, rule.now)
      const next = draft.steps.find((step) => !isStepTerminal(step.status))
      if (next !== undefined) {
        run.stalledSince = null
        return work(draft, next, rule)
      }
      if (!leavePhase(draft, rule)) return null
    }
  }
}

/** Claims the step if it is due, else says when to look again. */
function work(draft: Draft, step: Step, { now, mayDispatch }: ProgressRule): Step | null {
  const { run, gate } = draft
  const gateOpens = gate !== null && gate.openedAt === null ? gate.opensAt : null
  if (step.status === 'RUNNING') {
    run.wakeAt = gateOpens
    return null
  }
  if (step.dueAt !== null && step.dueAt > now) {
    run.wakeAt = gateOpens === null ? step.dueAt : Math.min(step.dueAt, gateOpens)
    return null
  }
  if (!mayDispatch) {
    run.wakeAt = now
    return null
  }
  run.inFlight = step.id
  return changeStep(draft, step, {
    status: 'RUNNING',
    attempts: step.attempts + 1,
    claimNo: step.claimNo + 1,
    startedAt: step.startedAt ?? now,
    dueAt: null,
    held: false,
  })
}

/** Leaves a phase whose steps are all terminal, if its gate and hold let it. False: it waits, or the run is over. */
function leavePhase(draft: Draft, rule: ProgressRule): boolean {
  const { run, gate, steps } = draft
  const { now, spec } = rule
  if (gate !== null && !isOpen(gate)) {
    waitForGate(draft, gate, rule)
    return false
  }
  run.stalledSince = null
  const index = run.phaseIndex ?? 0
  const phase = spec?.phases[index]
  if (spec == null || phase === undefined) {
    failRun(draft, now, unreadable(draft, spec))
    return false
  }
  const isLast = index + 1 >= spec.phases.length
  if (isLast && run.holdUntil !== null && run.holdUntil > now) {
    run.wakeAt = run.holdUntil
    return false
  }
  if (gate !== null && gate.openedAt !== null && wasWaitedFor(gate.openedAt, steps)) {
    // Who forces a gate writes the line at once.
    const { openedBy } = gate
    const by =
      openedBy === 'TRIGGER' ? { trigger: gate.trigger ?? '', tally: gate.tally ?? 0, needed: gate.needed ?? 1 } : {}
    if (openedBy !== null && openedBy !== 'FORCED')
      draft.lines.push(
        log.phaseAdvanced(
          { at: now, phase: phase.key },
          { because: openedBy, waitedSeconds: waitedSeconds(gate.enteredAt, gate.openedAt), ...by },
        ),
      )
  }
  draft.lines.push(log.phaseCompleted({ at: now, phase: phase.key }, { index, label: phase.label }))
  if (!isLast) return enterPhase(draft, index + 1, rule)
  run.holdUntil = null
  draft.lines.push(log.runStatus({ at: now, phase: phase.key }, { from: 'RUNNING', to: 'ENDING' }))
  run.status = 'ENDING'
  beginCleanup(draft, now)
  return true
}

/** The gate was what the phase waited for: its steps were done before it opened. */
function wasWaitedFor(openedAt: Instant, steps: readonly Step[]): boolean {
  return steps.every((step) => step.finishedAt === null || step.finishedAt <= openedAt)
}

function enterPhase(draft: Draft, index: number, rule: ProgressRule): boolean {
  const { run } = draft
  const { now, spec } = rule
  const phase = spec?.phases[index]
  if (phase === undefined) {
    failRun(draft, now, unreadable(draft, spec))
    return false
  }
  // The first phase's steps were made with the run; a step that is there is never made twice.
  const known = run.phaseIndex === null ? draft.steps : []
  draft.steps = materialise(draft, phase, index, known, rule)
  // Armed before the phase becomes current: a missing gate would not hold.
  draft.gate = armGate(phase, index, now)
  if (draft.gate !== null) draft.gates.add(draft.gate)
  if (run.status === 'STARTING') {
    draft.lines.push(log.runStatus({ at: now, phase: phase.key }, { from: 'STARTING', to: 'RUNNING' }))
    run.status = 'RUNNING'
  }
  Object.assign(run, { currentPhase: phase.key, phaseIndex: index, phaseEnteredAt: now })
  draft.lines.push(
    log.phaseEntered({ at: now, phase: phase.key }, { index, steps: draft.steps.length, label: phase.label }),
  )
  if (draft.gate !== null) draft.lines.push(gateLine(draft.gate, now, phase))
  carryHold(draft, now)
  return true
}

/** A hold that nothing in the earlier phase could take goes to the first step that can, through empty phases. */
function carryHold(draft: Draft, now: Instant): void {
  const { run } = draft
  if (run.holdUntil === null) return
  const first = draft.steps.find((step) => step.status === 'PENDING')
  if (first === undefined && run.holdUntil > now) return
  if (first !== undefined && run.holdUntil > now) changeStep(draft, first, { dueAt: run.holdUntil, held: true })
  run.holdUntil = null
}

function materialise(
  draft: Draft,
  phase: VersionPhase,
  phaseIndex: number,
  known: readonly Step[],
  { mint }: ProgressRule,
): Step[] {
  return phase.steps.map((spec, seq) => {
    const existing = known.find((step) => step.seq === seq)
    if (existing !== undefined) return existing
    const step = newStep(spec, {
      phase: phase.key,
      phaseIndex,
      seq,
      params: draft.facts.params,
      ...mint(draft.facts.runId),
    })
    draft.created.set(step.id, step)
    return step
  })
}

/** The steps that a run has from the beginning: those of its first phase. */
export function firstSteps(
  phase: VersionPhase,
  params: PlaceholderValues,
  mint: () => { id: string; idempotencyKey: string },
): Step[] {
  return phase.steps.map((spec, seq) => newStep(spec, { phase: phase.key, phaseIndex: 0, seq, params, ...mint() }))
}

/** The step that a version's step becomes in a run: its placeholders are filled from the run's params. */
export function newStep(
  spec: VersionPhase['steps'][number],
  at: { phase: string; phaseIndex: number; seq: number; id: string; idempotencyKey: string; params: PlaceholderValues },
): Step {
  const { params, ...place } = at
  return {
    ...NEW_STEP,
    ...place,
    actionId: spec.actionId,
    actionVersion: spec.actionVersion,
    label: spec.label ?? null,
    onFailure: spec.onFailure,
    params: renderParams(spec.params, params),
  }
}

function unreadable(draft: Draft, spec: VersionSpec | null | undefined): string {
  return spec == null
    ? 'The version that this run is pinned to cannot be read; publish the definition again and start a new run'
    : `Phase ${draft.run.currentPhase ?? 0} is not in the version that this run is pinned to; publish the definition again and start a new run`
}

function complete(draft: Draft, now: Instant): void {
  const { run } = draft
  draft.lines.push(log.runStatus({ at: now, phase: run.currentPhase }, { from: 'ENDING', to: 'COMPLETED' }))
  Object.assign(run, { status: 'COMPLETED', endedAt: now, wakeAt: null })
}
