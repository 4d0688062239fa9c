import type { Content } from '../definitions/content.ts'

/** What was written and is not on the server yet, and what it was written over. */
export type Backup = { updatedAt: string; content: Content; base: Content }

const keyOf = (definitionId: string): string => `cuelight.draft.${definitionId}`

/** Keeps it in this browser, should the page be closed. Where there is no room, it is in the page alone. */
export function keepBackup(definitionId: string, backup: Backup): void {
  try {
    localStorage.setItem(keyOf(definitionId), JSON.stringify(backup))
  } catch {
    localStorage.removeItem(keyOf(definitionId))
  }
}

export function readBackup(definitionId: string): Backup | null {
  const kept = localStorage.getItem(keyOf(definitionId))
  return kept === null ? null : (JSON.parse(kept) as Backup)
}

export const forgetBackup = (definitionId: string): void => localStorage.removeItem(keyOf(definitionId))

const textKeyOf = (definitionId: string): string => `cuelight.draft-text.${definitionId}`

/** Keeps a text of a draft that cannot be read yet, and so is nowhere else. */
export function keepText(definitionId: string, text: string): void {
  try {
    localStorage.setItem(textKeyOf(definitionId), text)
  } catch {
    localStorage.removeItem(textKeyOf(definitionId))
  }
}

export const readKeptText = (definitionId: string): string | null => localStorage.getItem(textKeyOf(definitionId))

export const forgetText = (definitionId: string): void => localStorage.removeItem(textKeyOf(definitionId))
