// Readers of one log in one process, which read frames without understanding them, but for a few:
// `fan-out-readers.mjs <port> <readers> <query> <variables>`. Says "ready", and "done" with what came when the last line is there.
import { connect } from 'node:net'

const [, , port, readers, query, variables] = process.argv
const SAMPLES = 10
const microseconds = () => Number(process.hrtime.bigint() / 1000n)
// What came: messages and bytes over all readers, and of some of them which line came when, and was sent when if it says so.
const received = { messages: 0, bytes: 0, lines: [], at: [], sentAt: [], gaps: 0 }
let last = Number.POSITIVE_INFINITY
let finished = 0

process.on('message', (lines) => {
  last = lines
})
const all = Array.from({ length: Number(readers) }, (_, index) => index)
// A server takes so many sockets that have not proven their token, and so many sockets with one token.
while (all.length > 0) await Promise.all(all.splice(0, 500).map(read))
process.send('ready')

/** One reader; resolves when it has asked for the log. */
function read(index) {
  // From among the first, which have each line soonest, to among the last.
  const stride = Number(readers) / SAMPLES
  const isSampled = index % stride === Math.floor(stride / 2)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1').setNoDelay(true)
    socket.on('error', reject)
    socket.write(
      'GET /graphql HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n',
    )
    let rest = Buffer.alloc(0)
    let isUpgraded = false
    let cursor = 0
    let parts = []
    const take = (message) => {
      const start = message.toString('latin1', 0, 120)
      if (start.includes('connection_ack')) {
        const payload = { query, variables: JSON.parse(variables) }
        socket.write(frameOf(JSON.stringify({ id: 'log', type: 'subscribe', payload })))
        resolve()
      }
      const position = /"(?:cursor|line)":(\d+)/.exec(start)?.[1]
      if (position === undefined) return
      received.messages += 1
      received.bytes += message.length
      cursor = isSampled ? note(message, cursor) : Number(position)
      if (cursor !== last) return
      finished += 1
      if (finished === Number(readers)) process.send(received)
    }
    socket.on('data', (chunk) => {
      let data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      if (!isUpgraded) {
        const end = data.indexOf('\r\n\r\n')
        if (end === -1) {
          rest = data
          return
        }
        isUpgraded = true
        data = data.subarray(end + 4)
        const authorization = `Bearer bench-${Math.floor(index / 1000)}`
        socket.write(frameOf(JSON.stringify({ type: 'connection_init', payload: { authorization } })))
      }
      for (let size = sizeOf(data); size !== null; size = sizeOf(data)) {
        const { head, length } = size
        const first = data[0]
        parts.push(data.subarray(head, head + length))
        if ((first & 0x80) !== 0) {
          const message = parts.length === 1 ? parts[0] : Buffer.concat(parts)
          if ((first & 0x0f) < 8) take(message)
          parts = []
        }
        data = data.subarray(head + length)
      }
      rest = data
    })
  })
}

/** Notes each line of a message, and which the last is. */
function note(message, before) {
  const at = microseconds()
  const { payload } = JSON.parse(String(message))
  const { entries = [payload.data.runLog] } = payload.data.runLog
  let cursor = before
  for (const { line } of entries) {
    if (line !== cursor + 1) received.gaps += 1
    cursor = line
    received.lines.push(line)
    received.at.push(at)
    if (payload.sentAt !== undefined) received.sentAt.push(payload.sentAt)
  }
  return cursor
}

/** Of the first frame in these bytes; null while it is not all there. */
function sizeOf(data) {
  if (data.length < 2) return null
  const short = data[1] & 0x7f
  const head = short === 126 ? 4 : short === 127 ? 10 : 2
  if (data.length < head) return null
  const length = short === 126 ? data.readUInt16BE(2) : short === 127 ? Number(data.readBigUInt64BE(2)) : short
  return data.length < head + length ? null : { head, length }
}

/** A text frame, masked with zeros. */
function frameOf(text) {
  const body = Buffer.from(text)
  const { length } = body
  const head =
    length < 126 ? [0x81, 0x80 | length, 0, 0, 0, 0] : [0x81, 0x80 | 126, length >> 8, length & 0xff, 0, 0, 0, 0]
  return Buffer.concat([Buffer.from(head), body])
}
