import { formatDuration } from '../../domain/duration.ts'
import type { ActionRisk, RegisteredActionFragment } from '../../generated/console/documents.ts'

const ON_FAILURE: Record<ActionRisk, string> = {
  NOTIFY: 'It only tells somebody: where it fails, the run goes on without it.',
  CHANGE: 'It changes the world: where it fails, the run is paused.',
  IRREVERSIBLE: 'It changes the world for good: where it fails, the run is ended.',
}

/** What there is to know of an action before it is used, a sentence each. */
export function sentencesOf(action: RegisteredActionFragment): string[] {
  const { risk, reversible, budgetMs, supportsVerify } = action
  return [
    `${ON_FAILURE[risk]} A step may say otherwise.`,
    reversible === 'REVERT'
      ? 'What it makes is taken back when the run ends.'
      : 'It makes nothing that can be taken back.',
    `It has ${formatDuration(budgetMs)} to answer.`,
    supportsVerify
      ? 'It can be asked whether it would work, so that verifying checks it, and rehearsals call it without changing anything.'
      : 'It cannot be asked whether it would work, and rehearsals do not call it.',
  ]
}

/** The most that a run may cause of what an action counts, or that nothing bounds it. */
export function capsOf({ dimensions, setting }: RegisteredActionFragment): { dimension: string; cap: number | null }[] {
  return dimensions.map((dimension) => ({
    dimension,
    cap: setting.caps.find((cap) => cap.dimension === dimension)?.cap ?? null,
  }))
}

/** A cap as a field for numbers has it: a text where it is none, or too large to be exact; null: empty, and so not capped; undefined: it cannot be taken. */
export function capOf(value: number | string): number | null | undefined {
  if (value === '') return null
  const cap = Number(value)
  return Number.isSafeInteger(cap) && cap >= 0 ? cap : undefined
}
