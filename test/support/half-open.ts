import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A way to a PostgreSQL on which connections can go dead without either end being told. */
export type HalfOpen = {
  /** The connection string that leads through it. */
  url: string
  /** From now on nothing passes, either way, on any connection, and new ones get no answer. */
  stop(): void
  /** New connections pass again; those that went dead stay so, as after a firewall's restart. */
  resume(): void
  /** How many connections are open on the near side. */
  open(): number
}

/** A TCP proxy before the PostgreSQL of `url`, until the test ends. */
export async function halfOpen(url: string): Promise<HalfOpen> {
  const behind = new URL(url)
  const near = new Set<Socket>()
  const all = new Set<Socket>()
  let passing = true
  const server = createServer((client) => {
    near.add(client)
    all.add(client)
    client.on('error', () => {})
    client.once('close', () => near.delete(client))
    if (!passing) return void client.pause()
    const far = connect(Number(behind.port), behind.hostname)
    all.add(far)
    far.on('error', () => {})
    client.pipe(far).pipe(client)
    client.once('close', () => passing && far.destroy())
    far.once('close', () => passing && client.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    for (const socket of all) socket.destroy()
  })
  const through = new URL(url)
  through.hostname = '127.0.0.1'
  through.port = String((server.address() as AddressInfo).port)
  return {
    url: through.href,
    stop() {
      passing = false
      for (const socket of all) socket.unpipe().pause()
    },
    resume() {
      passing = true
    },
    open: () => near.size,
  }
}
