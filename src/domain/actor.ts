/** Who did something: a person or script with a token, or Cuelight itself. */
export type Actor = { kind: 'USER' | 'TOKEN' | 'SYSTEM'; name: string }

/** Cuelight itself: the runner and the schedule. */
export const SYSTEM: Actor = { kind: 'SYSTEM', name: 'Cuelight' }
