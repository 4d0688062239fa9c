import { type Actor, SYSTEM } from './actor.ts'

/** A line of the run log before it has its number. `stepId` is a bare UUID; `at` milliseconds since the epoch. */
export type RunLine = {
  at: number
  kind: string
  phase: string | null
  stepId: string | null
  actor: Actor
  detail: Record<string, unknown>
  text: string
}

export type At = { at: number; phase?: string | null; actor?: Actor }

export const line = (kind: string, where: At, detail: Record<string, unknown>, text: string): RunLine => ({
  at: where.at,
  kind,
  phase: where.phase ?? null,
  stepId: null,
  actor: where.actor ?? SYSTEM,
  detail,
  text,
})

export const iso = (at: number) => new Date(at).toISOString()
export const clock = (at: number) => `${iso(at).slice(0, 10)} ${iso(at).slice(11, 19)} UTC`
/** What an author or a module wrote brings its own full stop or none; a line has one. */
export const tail = (text: string | null | undefined) => (text ? `: ${text.replace(/(?<!\.)\.$/, '')}` : '')
export const sentence = (text: string) => (/[.!?…]$/.test(text) ? text : `${text}.`)
export const plural = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`
