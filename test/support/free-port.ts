import { once } from 'node:events'
import { createServer } from 'node:net'

const FROM = 15_000
const COUNT = 10_000

/** A port that nobody listens on. It is none of those that a system hands out by itself, so that nobody gets it meanwhile. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FROM + Math.floor(Math.random() * COUNT)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
