/** What an event needs to be the rest of a message, made once for all sockets that it goes to. */
const rests = new WeakMap<Buffer, Buffer>()

/**
 * A WebSocket message in two frames of its protocol (RFC 6455, 5.2), as a server sends them: `first` begins it, `rest`
 * ends it. The same buffer is framed once, however often it is asked for.
 */
export const messageFrames = {
  first: (text: string): Buffer => framed(Buffer.from(text), TEXT),
  rest(bytes: Buffer): Buffer {
    const made = rests.get(bytes)
    if (made !== undefined) return made
    const frame = framed(bytes, CONTINUATION | LAST)
    rests.set(bytes, frame)
    return frame
  },
}

const CONTINUATION = 0x00
const TEXT = 0x01
const LAST = 0x80

function framed(bytes: Buffer, first: number): Buffer {
  return Buffer.concat([headOf(bytes.length, first), bytes])
}

function headOf(length: number, first: number): Buffer {
  if (length < 126) return Buffer.of(first, length)
  if (length < 2 ** 16) return Buffer.of(first, 126, length >> 8, length & 0xff)
  const head = Buffer.alloc(10)
  head[0] = first
  head[1] = 127
  head.writeBigUInt64BE(BigInt(length), 2)
  return head
}
