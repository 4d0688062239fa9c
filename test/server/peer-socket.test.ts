import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { PeerSocket } from '../../src/server/peer-socket.ts'

async function peers(): Promise<{ ours: PeerSocket; theirs: WebSocket }> {
  const http = createServer().listen(0, '127.0.0.1')
  const server = new WebSocketServer({ server: http, WebSocket: PeerSocket })
  onTestFinished(() => {
    server.close()
    http.close()
  })
  await once(http, 'listening')
  const theirs = new WebSocket(`ws://127.0.0.1:${(http.address() as AddressInfo).port}`)
  const [[ours]] = (await Promise.all([once(server, 'connection'), once(theirs, 'open')])) as [[PeerSocket], unknown]
  return { ours, theirs }
}

test('what is sent arrives, and who sent it is told', async () => {
  const { ours, theirs } = await peers()
  const arrived = once(theirs, 'message')
  await new Promise<void>((sent, fail) => ours.send('all hands', (error) => (error ? fail(error) : sent())))
  expect(String((await arrived)[0])).toBe('all hands')
  const frames = once(theirs, 'message')
  ours.send('at the ', { binary: false, fin: false })
  ours.send('gate', { binary: false, fin: true }, () => {})
  expect(String((await frames)[0])).toBe('at the gate')
  theirs.terminate()
})

test('that the peer is gone is no fault of who sends', async () => {
  const { ours, theirs } = await peers()
  theirs.terminate()
  await once(ours, 'close')
  const told = await new Promise((done) => ours.send('anybody?', done))
  expect(told).toBeUndefined()
  ours.send('nobody')
})
