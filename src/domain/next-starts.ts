/** A run as the API shows it: its place among the occurrences of its event, and when it starts. */
export type MadeRun = { occurrenceAt: string; scheduledFor: string; scope: string; source: 'MANUAL' | 'SCHEDULE' }

/** When an event starts next, and what its schedule says of that: null where it has nothing to say. */
export type NextStart<Plan> = { at: string; scope: string; isMoved: boolean; plan: Plan | null }

export type WhatIsNext<Plan> = {
  isPaused: boolean
  /** What the schedule has next, whatever became of its runs. */
  planned: readonly Plan[]
  /** The runs that wait for their start. */
  waiting: readonly MadeRun[]
  /** Runs that do so no more, those of the latest occurrences. */
  over: readonly MadeRun[]
}

/**
 * What starts next as things are, earliest first: the runs that wait for their start, where they were moved to, and what
 * the schedule plans and has no run of yet. What was cancelled or started early is planned still, and starts no more.
 * While the schedule is paused only what somebody started by hand is left.
 */
export function nextStarts<Plan extends { at: string }>({
  isPaused,
  planned,
  waiting,
  over,
}: WhatIsNext<Plan>): NextStart<Plan>[] {
  const planAt = new Map(planned.map((plan) => [plan.at, plan]))
  // A schedule's occurrences have no scope: what happens in one at the same instant is another occurrence.
  const made = new Set(
    [...waiting, ...over].filter(({ scope }) => scope === '').map(({ occurrenceAt }) => occurrenceAt),
  )
  const runs = waiting
    .filter(({ source }) => !isPaused || source === 'MANUAL')
    .map(({ occurrenceAt, scheduledFor: at, scope }) => {
      const isMoved = at !== occurrenceAt
      return { at, scope, isMoved, plan: isMoved || scope !== '' ? null : (planAt.get(at) ?? null) }
    })
  const plans = isPaused ? [] : planned.filter(({ at }) => !made.has(at))
  return [...runs, ...plans.map((plan) => ({ at: plan.at, scope: '', isMoved: false, plan }))].sort(
    (one, other) => Date.parse(one.at) - Date.parse(other.at),
  )
}
