import { meets, parseCondition, phraseOf } from './condition.ts'
import { formatDuration, parseDuration } from './duration.ts'
import * as log from './log.ts'
import type { Draft, Gate, Instant } from './picture.ts'
import type { VersionPhase } from './spec.ts'

/** The gate that entering a phase arms; null where the phase has none. */
export function armGate(phase: VersionPhase, phaseIndex: number, enteredAt: Instant): Gate | null {
  const advance = phase.advance
  if (advance == null) return null
  const armed = { phase: phase.key, phaseIndex, enteredAt, openedAt: null, openedBy: null }
  if ('after' in advance) {
    const duration = parseDuration(advance.after)
    if (!duration.ok)
      throw new Error(`The gate of phase "${phase.key}" waits for "${advance.after}": ${duration.problem}`)
    return {
      ...armed,
      kind: 'AFTER',
      trigger: null,
      where: null,
      tally: null,
      needed: null,
      opensAt: enteredAt + duration.ms,
    }
  }
  const { on, where, count } = advance.trigger
  return { ...armed, kind: 'ON', trigger: on, where: where ?? null, tally: 0, needed: count ?? 1, opensAt: null }
}

/** The line that says that a gate was armed. */
export function gateLine(gate: Gate, at: Instant, phase: VersionPhase): log.RunLine {
  const description = describeGate(gate)
  if (gate.kind === 'AFTER') {
    const after = phase.advance != null && 'after' in phase.advance ? phase.advance.after : ''
    return log.phaseGate({ at, phase: gate.phase }, { gate: 'AFTER', after }, description)
  }
  return log.phaseGate(
    { at, phase: gate.phase },
    {
      gate: 'ON',
      trigger: gate.trigger ?? '',
      needed: gate.needed ?? 1,
      ...(gate.where === null ? {} : { where: phraseOfStored(gate.where) }),
    },
    description,
  )
}

type Described = Pick<Gate, 'kind' | 'enteredAt' | 'opensAt' | 'trigger' | 'where' | 'tally' | 'needed'>

/** What a gate waits for, in words, and how far it is. */
export function describeGate(gate: Described): string {
  if (gate.kind === 'AFTER') {
    return `The phase may end ${formatDuration((gate.opensAt ?? gate.enteredAt) - gate.enteredAt)} after it began.`
  }
  const needed = gate.needed ?? 1
  const times = needed === 1 ? '' : ` ${needed} times`
  const where = gate.where === null ? '' : `, where ${phraseOfStored(gate.where)}`
  const soFar = gate.tally ? ` (${gate.tally} of ${needed} so far)` : ''
  return `The phase may end when ${gate.trigger} has happened${times}${where}${soFar}.`
}

/** A stored condition as a phrase. */
export function phraseOfStored(where: unknown): string {
  const read = parseCondition(where, 'where')
  return read.ok ? phraseOf(read.condition) : 'a condition holds that cannot be read'
}

/** Whether a payload meets a gate's stored condition; without one every payload does. */
export function meetsStored(where: unknown, payload: Record<string, unknown>): boolean {
  if (where === null) return true
  const read = parseCondition(where, 'where')
  return read.ok && meets(read.condition, payload)
}

/** Opens an `after` gate whose instant has come; it opened at that instant, however late anybody looks. */
export function openIfElapsed(draft: Draft, now: Instant): void {
  const gate = draft.gate
  if (gate === null || gate.openedAt !== null || gate.kind !== 'AFTER' || gate.opensAt === null || gate.opensAt > now)
    return
  gate.openedAt = gate.opensAt
  gate.openedBy = 'ELAPSED'
  draft.gates.add(gate)
}

/**
 * Waits for a gate that is not open while every step of its phase is terminal: says when to look again, and marks the run
 * once a trigger was waited for longer than the stall time. Nothing advances or fails by it.
 */
export function waitForGate(draft: Draft, gate: Gate, { now, stallMs }: { now: Instant; stallMs: number }): void {
  const { run } = draft
  if (gate.kind === 'AFTER') {
    run.wakeAt = gate.opensAt
    return
  }
  const stallsAt = Math.max(gate.enteredAt, ...draft.steps.map((step) => step.finishedAt ?? gate.enteredAt)) + stallMs
  if (stallsAt > now) {
    run.stalledSince = null
    run.wakeAt = stallsAt
  } else if (run.stalledSince === null) {
    run.stalledSince = stallsAt
    if (run.health === 'OK') run.health = 'STALLED'
    const because = `${gate.trigger} has been waited for longer than ${formatDuration(stallMs)}`
    const detail = { to: run.health, because, stalledSince: stallsAt }
    draft.lines.push(log.runHealth({ at: now, phase: gate.phase }, detail))
  }
}

/** Whether a phase with this gate may end as far as the gate is concerned. */
export function isOpen(gate: Gate | null): boolean {
  return gate === null || gate.openedAt !== null
}

/** How long a gate has been waited for, in whole seconds: the same in the log and in the API. */
export function waitedSeconds(enteredAt: Instant, until: Instant): number {
  return Math.max(0, Math.floor((until - enteredAt) / 1000))
}
