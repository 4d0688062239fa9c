import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A way to a database that a test can take away: a server that is set to `url` reaches it through here. */
export async function databaseLink(databaseUrl: string) {
  const target = new URL(databaseUrl)
  const ends = new Set<Socket>()
  let frozen = false
  const server = createServer((near) => {
    const far = connect({ host: target.hostname, port: Number(target.port) })
    for (const end of [near, far]) {
      ends.add(end)
      end.on('error', () => {})
      end.once('close', () => {
        ends.delete(end)
        near.destroy()
        far.destroy()
      })
      end.on('data', (chunk) => (end === near ? far : near).write(chunk))
      if (frozen) end.pause()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const cut = async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    for (const end of ends) end.destroy()
    await closed
  }
  onTestFinished(() => (server.listening ? cut() : undefined))
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return {
    url: url.href,
    /** Breaks what is connected, and refuses what comes. */
    cut,
    /** From now on nothing that is sent arrives, until it is mended. */
    freeze() {
      frozen = true
      for (const end of ends) end.pause()
    },
    mend() {
      frozen = false
      for (const end of ends) end.resume()
      if (!server.listening) server.listen(port, '127.0.0.1')
    },
  }
}
