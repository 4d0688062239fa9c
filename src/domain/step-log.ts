import type { Actor } from './actor.ts'
import { type At, clock, iso, line, plural, type RunLine, sentence, tail } from './log-line.ts'
import type { Refusal } from './outcome.ts'
import { STEP_CONTROLS, type StepControl, type StepStatus } from './step.ts'

type OfStep = At & { step: { id: string; phase: string; label: string | null; actionId: string } }
type OfAttempt = OfStep & { step: { attempts: number } }

const stepLine = (kind: string, where: OfStep, detail: Record<string, unknown>, text: string): RunLine => ({
  ...line(kind, { ...where, phase: where.step.phase }, detail, text),
  stepId: where.step.id,
})

const quoted = (step: { label: string | null; actionId: string }) => `"${step.label ?? step.actionId}"`

const STEP_TEXT: Partial<Record<StepStatus, string>> = {
  DONE: 'is done',
  FAILED: 'failed',
  CANCELLED: 'was cancelled',
  PENDING: 'is held',
}

/** A step ended, by the runner. */
export function stepStatus(
  where: OfAttempt,
  change: {
    to: StepStatus
    error?: string
    holdUntil?: number
    versionDrift?: { pinned: number; registered: number }
    output?: unknown
    /** Why there is nothing to see in the world: "rehearsed, not called". */
    because?: string
  },
): RunLine {
  const { holdUntil, ...rest } = change
  const hold = holdUntil === undefined ? '' : `; what follows is held until ${clock(holdUntil)}`
  const drift = change.versionDrift
    ? ` (version ${change.versionDrift.registered} of the action ran, ${change.versionDrift.pinned} was published)`
    : ''
  return stepLine(
    'step.status',
    where,
    {
      action: where.step.actionId,
      attempts: where.step.attempts,
      ...rest,
      ...(holdUntil === undefined ? {} : { holdUntil: iso(holdUntil) }),
    },
    sentence(
      `${quoted(where.step)} ${STEP_TEXT[change.to] ?? change.to}${tail(change.error ?? change.because)}${hold}${drift}`,
    ),
  )
}

/** A transient failure will be tried again. */
export function stepRetry(
  where: OfStep,
  detail: { attempt: number; of: number; dueAt: number; error: string },
): RunLine {
  return stepLine(
    'step.retry',
    where,
    { action: where.step.actionId, ...detail, dueAt: iso(detail.dueAt) },
    sentence(
      `${quoted(where.step)} failed in attempt ${detail.attempt} of ${detail.of} and is tried again at ${clock(detail.dueAt)}${tail(detail.error)}`,
    ),
  )
}

/** Permission or a cap said no; `because` is the sentence that says why and what to do. */
export function stepRefused(where: OfStep, detail: Refusal, because: string): RunLine {
  return stepLine('step.refused', where, detail, sentence(`${quoted(where.step)} was refused${tail(because)}`))
}

export function stepParked(where: OfStep, instruction: string): RunLine {
  return stepLine(
    'step.parked',
    where,
    { action: where.step.actionId, instruction },
    `A person is asked: ${instruction}`,
  )
}

/** A person did something to a step. */
export function stepControl(
  where: OfStep & { actor: Actor },
  change: { control: StepControl; to?: StepStatus; reason?: string; note?: string; previousHolder?: string },
): RunLine {
  const from = change.previousHolder === undefined ? '' : ` from ${change.previousHolder}`
  return stepLine(
    'step.control',
    where,
    change,
    sentence(
      `${where.actor.name} ${STEP_CONTROLS[change.control].past} ${quoted(where.step)}${from}${tail(change.reason ?? change.note)}`,
    ),
  )
}

export function stepReclaimed(where: OfAttempt, detail: { previousOwner: string }): RunLine {
  return stepLine(
    'step.reclaimed',
    where,
    { ...detail, attempts: where.step.attempts },
    `${quoted(where.step)} was taken back from ${detail.previousOwner}, which stopped answering in attempt ${where.step.attempts}.`,
  )
}

export function stepLate(where: OfStep, outcome: string): RunLine {
  return stepLine(
    'step.late',
    where,
    { action: where.step.actionId, outcome },
    sentence(
      `An answer of ${quoted(where.step)} came after its claim had been taken back and changed nothing${tail(outcome)}`,
    ),
  )
}

export function stepMessage(where: OfStep, detail: { message: string; level: 'info' | 'warn' | 'error' }): RunLine {
  return stepLine('step.message', where, detail, detail.message)
}

/** The participants were ranked, and anyone can see them; `participants`: how many there are. */
export function resultsPublished(where: OfStep, detail: { participants: number }): RunLine {
  const who = detail.participants === 0 ? 'nobody took part' : plural(detail.participants, 'participant')
  return stepLine('results.published', where, detail, `The results are published: ${who}.`)
}
