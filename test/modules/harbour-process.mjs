// The example's harbour in a process of its own, which tells its parent of every request, and answers the next ones as
// the parent says.

import { createServer } from 'node:http'
import { createHarbour } from '../../examples/harbour/world.mjs'

const [, , secret, port] = process.argv
const handle = createHarbour({ secret, say: (sentence) => process.send({ said: sentence }) })
const faults = []
process.on('message', ({ fault }) => {
  if (fault !== undefined) faults.push(fault)
  process.send({ ready: true })
})

const server = createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const { method, url: path, headers } = request
  const received = { method, path, headers, body: Buffer.concat(chunks).toString() }
  const fault = faults.shift()
  process.send({ received: { ...received, port: request.socket.remotePort } })
  if (fault?.hang) {
    request.socket.once('close', () => process.send({ said: 'the caller is gone' }))
    return
  }
  if (fault !== undefined) {
    const body =
      fault.bytes === undefined ? fault.body : JSON.stringify({ ok: true, output: { text: 'x'.repeat(fault.bytes) } })
    response.writeHead(fault.status ?? 200, fault.headers ?? {}).end(body)
    return
  }
  const { status, answer } = handle(received)
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
})
server.listen(Number(port), '127.0.0.1', () => process.send({ listening: server.address().port }))
process.on('disconnect', () => process.exit())
