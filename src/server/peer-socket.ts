import { WebSocket } from 'ws'

type Data = Parameters<WebSocket['send']>[0]
type Options = Exclude<Parameters<WebSocket['send']>[1], (error?: Error) => void>
type Done = (error?: Error) => void

/**
 * A socket to which sending never fails: that the peer is gone is told by its end. Whoever sent would take it for a
 * fault of the server, and say so for every message that was under way.
 */
export class PeerSocket extends WebSocket {
  override send(data: Data, done?: Done): void
  override send(data: Data, options: Options, done?: Done): void
  override send(data: Data, ...given: (Options | Done | undefined)[]): void {
    const options = given.find((each): each is Options => typeof each === 'object')
    const done = given.find((each): each is Done => typeof each === 'function')
    super.send(data, options ?? {}, () => done?.())
  }
}
