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
    { gate: 'ON', trigger: gate.trigger ?? '', needed: gate.needed ?? 1 },
    description,
  )
}

/** What a gate waits for, in words. */
export function describeGate(gate: Pick<Gate, 'kind' | 'enteredAt' | 'opensAt' | 'trigger' | 'needed'>): string {
  if (gate.kind === 'AFTER') {
    return `The phase may end ${formatDuration((gate.opensAt ?? gate.enteredAt) - gate.enteredAt)} after it began.`
  }
  const needed = gate.needed ?? 1
  return `The phase may end when ${gate.trigger} has happened${needed === 1 ? '' : ` ${needed} times`}.`
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

/** Whether a phase with this gate may end as far as the gate is concerned. */
export function isOpen(gate: Gate | null): boolean {
  return gate === null || gate.openedAt !== null
}
