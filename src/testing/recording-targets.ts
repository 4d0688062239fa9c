import { type Notice, type PostResult, Targets } from '../modules/targets.ts'

/** Something that an event posted to a named target; nothing left the process. */
export type Post = {
  target: string
  /** Of an announcement, or of a cue that tells of itself. */
  message: string | null
  /** Of a webhook. */
  body: Record<string, unknown> | null
}

/** Any bytes will do: nothing is sent that anybody could check. */
const SECRET = `whsec_${Buffer.alloc(24).toString('base64')}`

/** Targets that keep what is posted to them. */
export class RecordingTargets extends Targets {
  readonly posts: Post[] = []

  constructor(names: readonly string[]) {
    super(names.map((name) => ({ name, kind: 'GENERIC', url: 'http://target.invalid/', secret: SECRET })))
  }

  override async announce(target: string, { message }: Notice): Promise<PostResult> {
    this.posts.push({ target, message, body: null })
    return { ok: true }
  }

  override async send(target: string, body: Record<string, unknown>): Promise<PostResult> {
    this.posts.push({ target, message: null, body })
    return { ok: true }
  }
}
