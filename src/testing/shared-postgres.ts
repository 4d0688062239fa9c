import { startThrowaway, type ThrowawayDatabase, type ThrowawayPostgres } from '../store/throwaway.ts'

/** The PostgreSQL that the test servers of this process share, while there is one of them. */
let postgres: Promise<ThrowawayPostgres> | null = null
/** The end of the last one: the next does not begin before. */
let ended: Promise<void> = Promise.resolve()
let users = 0

/** A database of a test server's own; dropping the last one ends the PostgreSQL. */
export async function borrowDatabase(): Promise<ThrowawayDatabase> {
  users += 1
  postgres ??= ended.then(startThrowaway)
  const shared = postgres
  try {
    const { url, drop } = await (await shared).createDatabase()
    let dropped: Promise<void> | null = null
    const giveBack = async () => {
      // The databases of a PostgreSQL that ends go with it.
      if (users > 1) await drop()
      await letGo(shared)
    }
    return {
      url,
      drop() {
        dropped ??= giveBack()
        return dropped
      },
    }
  } catch (error) {
    await letGo(shared)
    throw error
  }
}

async function letGo(shared: Promise<ThrowawayPostgres>): Promise<void> {
  users -= 1
  if (users > 0) return
  postgres = null
  ended = shared.then(
    (server) => server.stop(),
    // It did not start, and left nothing.
    () => {},
  )
  await ended
}
