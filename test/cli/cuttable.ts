import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { eventually } from '../support/eventually.ts'

/** A way to a server that can be cut: for tests of what goes on over lost connections. */
export async function cuttable(address: string) {
  const behind = new URL(address)
  /** The near end of each connection, and its far end. */
  const near = new Map<Socket, Socket>()
  let passing = true
  let frozen = false
  let refused = 0
  const server = createServer((client) => {
    client.on('error', () => {})
    if (!passing) {
      refused += 1
      return void client.destroy()
    }
    const far = connect(Number(behind.port), behind.hostname)
    far.on('error', () => {})
    near.set(client, far)
    if (frozen) return void client.pause()
    client.pipe(far).pipe(client)
    client.once('close', () => {
      near.delete(client)
      far.destroy()
    })
    far.once('close', () => frozen || client.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    passing = false
    for (const socket of near.keys()) socket.destroy()
  }
  onTestFinished(() => {
    cut()
    server.close()
  })
  const at = server.address()
  if (at === null || typeof at === 'string') throw new Error('It listens nowhere.')
  return {
    url: `http://127.0.0.1:${at.port}`,
    /** Ends every connection, and takes no new one. */
    cut,
    restore() {
      passing = true
    },
    /** From now on nothing passes on any connection, and no end is told. */
    freeze() {
      frozen = true
      for (const socket of [...near.keys(), ...near.values()]) socket.unpipe().pause()
    },
    /** New connections pass again; those that went dead stay so. */
    thaw() {
      frozen = false
    },
    /** Waits until so many connections were refused since the beginning. */
    refusals: (count: number) =>
      eventually(() => {
        if (refused < count) throw new Error(`It has refused ${refused} connections.`)
      }),
  }
}
