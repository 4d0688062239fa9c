import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { parseId } from '../../src/domain/ids.ts'

/** What an action of the events does when it is called; each is an answer that the runner treats in another way. */
export type Does = 'done' | 'slow' | 'hang' | 'hold' | 'flaky' | 'busy' | 'refuse' | 'refuse-once' | 'garbage' | Spawns
/** What makes something: at once, after a while, for a short time, with an answer that says nothing of it; and hard to take back. */
export type Spawns = 'spawn' | 'spawn-slow' | 'spawn-leased' | 'spawn-lost' | 'spawn-hard'

/** A call of an action, and what its step was like in the database when the call came. */
export type Call = {
  number: number
  stepId: string
  /** How many calls of the step there were, this one included. */
  ofStep: number
  claimNo: number
  /** Steps before it in its run that were not over. */
  openBefore: number
  keyFits: boolean
  /** The answer went out while the caller still listened. */
  answered: boolean
}

/** A call that takes something back, and what that and its run were like in the database when the call came. */
export type Revert = {
  resourceId: string
  /** How many such calls there were, this one included. */
  ofResource: number
  claimNo: number
  status: string
  /** Whether it was time: its lease was over, or its run was and had no step in flight. */
  isTime: boolean
}

const HOLD_SECONDS = 0.4
const LEASE_MS = 300
/** The kind of what is taken back only when the test says so. */
const HARD = 'hard thing'

/**
 * The world that the events act on. It lives outside the servers under test, remembers every call, and looks up in the
 * database, in a session of its own, whether the call had been claimed. A kill of a server changes nothing here.
 */
export class World {
  readonly calls: Call[] = []
  readonly reverts: Revert[] = []
  /** What is there, by the step that made it. */
  readonly standing = new Map<string, Set<string>>()
  /** False: whatever is to be taken back is. */
  stubborn = true
  readonly #database: pg.Pool | null
  readonly #server = createServer((request, response) => void this.#receive(request, response))
  readonly #random: () => number
  readonly #answeredRefusals = new Set<string>()
  readonly #hanging = new Map<number, (answer: unknown) => void>()
  #waiters: (() => void)[] = []

  private constructor(databaseUrl: string | null, random: () => number) {
    this.#random = random
    this.#database = databaseUrl === null ? null : new pg.Pool({ connectionString: databaseUrl, max: 4 })
    // A session that breaks is replaced by the next question.
    this.#database?.on('error', () => {})
  }

  /** `databaseUrl`: where to look calls up; null: nowhere. */
  static async open(databaseUrl: string | null, random: () => number = Math.random): Promise<World> {
    const world = new World(databaseUrl, random)
    world.#server.listen(0, '127.0.0.1')
    await once(world.#server, 'listening')
    return world
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`
  }

  /** How many calls there were, those that take something back included. */
  get heard(): number {
    return this.calls.length + this.reverts.length
  }

  /** Resolves when there were that many. */
  async called(count: number): Promise<void> {
    while (this.heard < count) await new Promise<void>((resolve) => this.#waiters.push(resolve))
  }

  /** Answers a call that hangs, by its number among all of them. */
  answer(call: number, answer: unknown): void {
    const resolve = this.#hanging.get(call)
    if (resolve === undefined) throw new Error(`Call ${call} does not hang.`)
    resolve(answer)
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
    await this.#database?.end()
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const body: Body = JSON.parse(await text(request))
      const stepId = parseId(body.stepId)?.uuid ?? ''
      if ('resource' in body) {
        response.end(JSON.stringify(await this.#revert(stepId, body.resource)))
        return
      }
      // What is made is there before anybody is answered.
      if (body.does.startsWith('spawn')) this.standing.set(stepId, new Set([`${stepId}/0`, `${stepId}/1`]))
      const call: Call = {
        number: this.calls.length,
        stepId,
        ofStep: 1 + this.calls.filter((earlier) => earlier.stepId === stepId).length,
        claimNo: 0,
        openBefore: 0,
        keyFits: body.idempotencyKey === keyOf(body.runId, body.stepId),
        answered: false,
      }
      this.calls.push(call)
      Object.assign(call, await this.#lookUp(stepId))
      const answered = this.#answer(body.does, call)
      for (const wake of this.#waiters.splice(0)) wake()
      const answer = await answered
      if (response.destroyed) return
      call.answered = true
      response.end(JSON.stringify(answer))
    } catch {
      // The caller was killed in the middle.
      response.destroy()
    }
  }

  async #revert(stepId: string, { id, kind, ref }: { id: string; kind: string; ref: string }): Promise<unknown> {
    const resourceId = parseId(id)?.uuid ?? ''
    const ofResource = 1 + this.reverts.filter((earlier) => earlier.resourceId === resourceId).length
    const revert: Revert = { resourceId, ofResource, claimNo: 0, status: 'unknown', isTime: false }
    const number = this.heard
    this.reverts.push(revert)
    const mood = this.stubborn ? this.#random() : 1
    const rows = await this.#ask<Revert>(
      `SELECT p.claim_no AS "claimNo", p.status, coalesce(p.lease_until <= now(), false)
         OR (r.in_flight IS NULL AND r.status IN ('ENDING', 'COMPLETED', 'CANCELLED', 'FAILED')) AS "isTime"
       FROM resources p JOIN runs r ON r.id = p.run_id WHERE p.id = $1`,
      [resourceId],
    )
    Object.assign(revert, rows[0])
    for (const wake of this.#waiters.splice(0)) wake()
    if (kind === HARD) return new Promise((resolve) => this.#hanging.set(number, resolve))
    if (mood < 0.15) return { ok: false, error: 'not now' }
    if (mood < 0.2) return { ok: false, retry: false, error: 'no' }
    if (mood < 0.5) await delay(50 + this.#random() * 200)
    if (kind === '@step') this.standing.delete(stepId)
    else this.standing.get(stepId)?.delete(ref)
    return { ok: true }
  }

  async #lookUp(stepId: string): Promise<{ claimNo: number; openBefore: number }> {
    const rows = await this.#ask<{ claimNo: number; openBefore: number }>(
      `SELECT s.claim_no AS "claimNo",
         (SELECT count(*)::int FROM steps e WHERE e.run_id = s.run_id AND (e.phase_index, e.seq) < (s.phase_index, s.seq)
            AND e.status IN ('PENDING', 'RUNNING')) AS "openBefore"
       FROM steps s WHERE s.id = $1`,
      [stepId],
    )
    return rows[0] ?? { claimNo: 0, openBefore: 0 }
  }

  /** Asks until the database answers: what is claimed was committed before. Nothing where there is none. */
  async #ask<Row extends pg.QueryResultRow>(sql: string, values: unknown[]): Promise<Row[]> {
    while (this.#database !== null && !this.#database.ending) {
      try {
        return (await this.#database.query<Row>(sql, values)).rows
      } catch (error) {
        if (error instanceof pg.DatabaseError && !error.code?.startsWith('57')) throw error
        await delay(100)
      }
    }
    return []
  }

  async #answer(does: Does, { number, ofStep, stepId }: Call): Promise<unknown> {
    const done = { ok: true, output: { call: number } }
    switch (does) {
      case 'done':
        return done
      case 'slow':
        await delay(100 + this.#random() * 400)
        return done
      case 'hang':
        return new Promise((resolve) => this.#hanging.set(number, resolve))
      case 'hold':
        return { ...done, holdFor: HOLD_SECONDS }
      case 'flaky':
        return ofStep % 2 === 1 ? { ok: false, error: 'not now' } : done
      case 'busy':
        return { ok: false, error: 'busy' }
      case 'refuse':
        return { ok: false, retry: false, error: 'no' }
      case 'refuse-once':
        if (this.#answeredRefusals.has(stepId)) return done
        this.#answeredRefusals.add(stepId)
        return { ok: false, retry: false, error: 'not yet' }
      case 'garbage':
        return ['done']
      case 'spawn-lost':
        return ofStep % 2 === 1 ? ['spawned'] : this.#spawned(stepId, done)
      case 'spawn-slow':
        await delay(100 + this.#random() * 400)
        return this.#spawned(stepId, done)
      case 'spawn-leased':
        return this.#spawned(stepId, done, { leaseUntil: new Date(Date.now() + LEASE_MS).toISOString() })
      case 'spawn-hard':
        return { ...done, resources: [{ kind: HARD, ref: `${stepId}/0` }] }
      case 'spawn':
        return this.#spawned(stepId, done)
    }
  }

  #spawned(stepId: string, done: object, more: object = {}): object {
    const resources = [...(this.standing.get(stepId) ?? [])].map((ref) => ({ kind: 'thing', ref, ...more }))
    return { ...done, resources }
  }
}

type Body =
  | { runId: string; stepId: string; idempotencyKey: string; does: Does }
  | { stepId: string; resource: { id: string; kind: string; ref: string } }

/** The key as the specification says it. */
function keyOf(runId: string, stepId: string): string {
  return createHash('sha256').update(`${runId}|${stepId}`).digest('hex').slice(0, 40)
}
