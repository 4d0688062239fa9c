import type { Outcome } from '../api/act.ts'

/** Something that a person may do: what they are told before, and how it is done. */
export type Control = {
  title: string
  /** What will happen. */
  effect: string
  /** What the button says. */
  action: string
  /** What is said once it is done, where the page does not show it. */
  done?: string
  color?: 'blue' | 'go' | 'stop'
  isReasonRequired?: boolean
  /** Which log keeps the reason, that of a run where nothing is said; null: none does, and none is asked for. */
  reasonKeptIn?: 'log' | 'audit log' | null
  /** Asks for an instant, and begins with this one. */
  instant?: { label: string; value: string; zone: string }
  /** `reason` is empty where none was given; `instant` as a UTC instant where it was asked for. */
  perform(said: { reason: string; instant: string }): Promise<Outcome<unknown>>
}

/** A reason as the API takes it: omitted where there is none. */
export const reasonOf = (reason: string): { reason?: string } => (reason === '' ? {} : { reason })
