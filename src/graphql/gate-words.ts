import { formatDuration } from '../domain/duration.ts'
import { conditionPhrase } from './spec.ts'

/** What a gate waits for, in a sentence. `triggerLabel`: how the trigger's module calls it, where it is registered. */
export function describeGate(
  gate: {
    kind: 'AFTER' | 'ON'
    enteredAt: Date
    opensAt: Date | null
    trigger: string | null
    where: unknown
    tally: number | null
    needed: number | null
  },
  triggerLabel: string | null,
): string {
  if (gate.kind === 'AFTER') {
    const after = gate.opensAt === null ? null : gate.opensAt.getTime() - gate.enteredAt.getTime()
    return after === null ? 'Waits for its time.' : `Opens ${formatDuration(after)} after the phase began.`
  }
  const trigger = triggerLabel === null ? (gate.trigger ?? 'a trigger') : `"${triggerLabel}"`
  const phrase = conditionPhrase(gate.where)
  const needed = gate.needed ?? 1
  const tally = needed === 1 ? '' : `, ${gate.tally ?? 0} of ${needed} so far`
  return `Waits for ${trigger}${phrase === null ? '' : ` where ${phrase}`}${tally}.`
}
