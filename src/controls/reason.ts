import type { Issue } from '../domain/issue.ts'
import { storableText } from '../domain/storable.ts'

/** A reason or note as it is kept: whole, without what the database cannot hold; undefined where none was given. */
export function givenReason(reason: string | null | undefined): string | undefined {
  const text = storableText(reason ?? '').trim()
  return text === '' ? undefined : text
}

/** What an audit entry keeps of a reason: nothing where none was given. */
export function reasonDetail(reason: string | null | undefined): { reason?: string } {
  const text = givenReason(reason)
  return text === undefined ? {} : { reason: text }
}

/** A reason that has to be given. */
export function requiredReason(reason: string): { ok: true; text: string } | { ok: false; issue: Issue } {
  const text = givenReason(reason)
  return text === undefined
    ? { ok: false, issue: { path: 'reason', message: 'Say why: the reason is kept in the run log.' } }
    : { ok: true, text }
}
