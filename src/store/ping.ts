import type { Database } from './database.ts'

/** How long those who ask share one question: a dead connection must not use up the others, nor hide for long that all is well again. */
const SHARED_MS = 10_000

const asked = new WeakMap<Database, { at: number; answer: Promise<void> }>()

/** Resolves when the database answers; rejects when it does not. */
export function ping(db: Database): Promise<void> {
  const open = asked.get(db)
  if (open !== undefined && performance.now() < open.at + SHARED_MS) return open.answer
  const question = { at: performance.now(), answer: ask(db) }
  asked.set(db, question)
  const settle = () => {
    if (asked.get(db) === question) asked.delete(db)
  }
  question.answer.then(settle, settle)
  return question.answer
}

async function ask(db: Database): Promise<void> {
  await db.prisma.$queryRaw`SELECT 1`
}
