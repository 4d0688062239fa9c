import type { Database } from '../store/database.ts'
import { isUseWorthNoting, noteUseIfDue, type StoredToken } from '../store/tokens.ts'
import type { Logger } from './logger.ts'

/** Notes that a token was used at an instant, about once a minute; that it could not is logged and harms nobody. */
export type NoteUse = (token: StoredToken, at: Date) => Promise<void>

export function createNoteUse({ db, log }: { db: Database; log: Logger }): NoteUse {
  const noting = new Set<string>()
  return async (token, at) => {
    if (!isUseWorthNoting(token, at) || noting.has(token.id)) return
    noting.add(token.id)
    try {
      await noteUseIfDue(db.prisma, token.id, at)
    } catch (error) {
      log.warn({ err: error }, 'the use of a token could not be noted')
    } finally {
      noting.delete(token.id)
    }
  }
}
