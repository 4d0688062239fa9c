import type { DraftStateFragment, IssueFragment } from '../../generated/console/documents.ts'
import { type Content, contentOfDraft } from '../definitions/content.ts'
import { isSame } from '../definitions/json.ts'
import type { Backup, Kept } from './backup.ts'
import { isSameDraft } from './draft-changes.ts'
import { readText, textOfContent } from './spec-text.ts'

/** What somebody else made of the draft meanwhile. */
export type Conflict = { theirs: DraftStateFragment; who: string | null; at: string | null }

export type Saving =
  | { kind: 'saved' }
  /** Something is not saved yet. */
  | { kind: 'unsaved' | 'saving' }
  /** The server cannot be reached, or has trouble of its own; it is tried again. */
  | { kind: 'away'; message: string }
  /** The server does not take it like this, or it cannot be sent; the next change is tried again. */
  | { kind: 'refused'; message: string }

/** A draft being written, as it is shown. */
export type DraftView = {
  content: Content
  /** What `content` goes on from: the draft on the server, as it was known last. */
  base: Content
  /** When that was written. */
  updatedAt: string
  /** What the server had to say of the draft when it answered last. */
  server: DraftStateFragment
  /** What is written as text; null: it is written as a form. */
  text: string | null
  /** Why the text cannot be read, so that `content` is not what it says; null: it can. */
  problem: string | null
  saving: Saving
  /** Whether what is not saved is kept in this browser. */
  isKept: boolean
  issues: readonly IssueFragment[]
  conflict: Conflict | null
  /** Who changed the draft while nothing was being written here; it is shown as they left it. */
  changedBy: string | null
  isRestored: boolean
  /** What else was written in this browser and never reached the server: nothing is done with it unasked. */
  offers: readonly Kept[]
  canUndo: boolean
  canRedo: boolean
}

/** A text that says the draft, or cannot be read, stays as it was written. */
export function textOfView({ text, problem, content }: DraftView): string | null {
  if (text === null || problem !== null) return text
  const read = readText(text)
  return read.ok && isSame(read.content, content) ? text : textOfContent(content)
}

/** Where writing begins: at the draft on the server, or where a backup left off. */
export function beginningOf(server: DraftStateFragment, backup: Backup | null) {
  const now = contentOfDraft(server)
  const { updatedAt } = server
  const saving: Saving = { kind: backup === null ? 'saved' : 'unsaved' }
  const same = { text: null, problem: null, saving, conflict: null, isRestored: backup !== null }
  if (backup === null) return { ...same, content: now, base: now, updatedAt }
  const read = backup.text === null ? null : readText(backup.text)
  const isBehind = backup.updatedAt !== updatedAt && !isSameDraft(backup.base, now)
  const isUnread = read !== null && !read.ok
  return {
    ...same,
    text: isUnread ? backup.text : null,
    problem: isUnread ? read.problem : null,
    content: read?.ok ? read.content : backup.content,
    base: isBehind ? backup.base : now,
    updatedAt: isBehind ? backup.updatedAt : updatedAt,
    // What a text changes is known when it can be read: whether it is in the way of theirs shows then.
    conflict: isBehind && !isUnread ? { theirs: server, who: null, at: null } : null,
  }
}
