import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { connect } from '../../examples/invasion/demo-client.ts'

/** A server that takes connections and never says a word. */
async function silentServer() {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('It listens nowhere.')
  return { server, url: `http://127.0.0.1:${address.port}` }
}

test('connecting to where nothing answers is ended by the signal', async () => {
  const { server, url } = await silentServer()
  const interrupted = new AbortController()
  const taken = once(server, 'connection')
  const connecting = connect({ url, token: 'x', signal: interrupted.signal })
  const failed = expect(connecting).rejects.toThrow('did not open: it was ended')
  const [connection] = await taken
  onTestFinished(() => connection.destroy())
  interrupted.abort()
  await failed
})

test('connecting to where nothing listens fails with why', async () => {
  const { server, url } = await silentServer()
  server.close()
  await once(server, 'close')
  const connecting = connect({ url, token: 'x', signal: new AbortController().signal })
  await expect(connecting).rejects.toThrow('did not open')
})
