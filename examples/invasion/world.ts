import { defineAction, defineModule, defineTrigger } from 'cuelight'
import { z } from 'zod'

/** What the world holds: the shard of a game, in memory, so that the example needs nothing else. */
type Thing = { ref: string; what: string; region: string; heads: number }
const things = new Map<string, Thing>()
/** Steps the world has seen: a repeat of one gets the same answer and does nothing twice. */
const seen = new Map<string, Thing>()

/** Who fights in every region, and the share of the heads that is theirs; the bard only watches. */
const PLAYERS = [
  { memberKey: 'anya', userId: 'u-1', share: 0.4, guild: 'Wardens' },
  { memberKey: 'bram', userId: 'u-2', share: 0.2, guild: 'Wardens' },
  { memberKey: 'cyra', userId: 'u-3', share: 0.2, guild: 'Lanterns' },
  { memberKey: 'dorn', userId: 'u-4', share: 0.1, guild: 'Lanterns' },
  { memberKey: 'elis', userId: 'u-5', share: null, guild: 'Bards' },
]

const say = (sentence: string): void => console.log(`[shard] ${sentence}`)

function make(key: string, { what, region, heads }: Omit<Thing, 'ref'>): Thing {
  const known = seen.get(key)
  if (known !== undefined) return known
  const thing = { ref: `shard-${seen.size + 1}`, what, region, heads }
  seen.set(key, thing)
  things.set(thing.ref, thing)
  say(`${what} in ${region} (${thing.ref})`)
  return thing
}

/** Takes a thing back; one that is gone already is as good as taken back. */
function take(resource: { kind: string; ref: string }, key: string): void {
  // The step was interrupted before it could say what it made: the key tells.
  const ref = resource.kind === '@step' ? seen.get(key)?.ref : resource.ref
  const thing = ref === undefined ? undefined : things.get(ref)
  if (thing === undefined) return
  things.delete(thing.ref)
  say(`gone again: ${thing.what} in ${thing.region} (${thing.ref})`)
}

/** Who fought for a region, and how many heads each of them took. */
function fighters(region: string) {
  const heads = [...things.values()].reduce((sum, thing) => sum + (thing.region === region ? thing.heads : 0), 0)
  return PLAYERS.map(({ memberKey, userId, share, guild }) => ({
    memberKey,
    userId,
    meta: { guild },
    ...(share === null ? {} : { score: Math.round(share * heads) }),
  }))
}

const tally = ({ memberKey, score }: { memberKey: string; score?: number }): string =>
  score === undefined ? `${memberKey} watched` : `${memberKey} ${score}`

const region = z.string().min(1).describe('Where in the world.')

export default defineModule({
  id: 'shard',
  actions: [
    defineAction({
      id: 'shard.proclaim',
      label: 'Town crier',
      description: 'Every player reads it.',
      version: 1,
      risk: 'notify',
      budgetMs: 2_000,
      params: z.strictObject({ text: z.string().min(1) }),
      supportsVerify: true,
      perform({ params, verify }) {
        if (!verify) say(`the town crier: ${params.text}`)
        return { ok: true }
      },
    }),
    defineAction({
      id: 'shard.portal',
      label: 'Open a portal',
      version: 1,
      risk: 'change',
      reversible: 'revert',
      budgetMs: 5_000,
      params: z.strictObject({ region }),
      dimensions: ['portals'],
      cost: () => ({ portals: 1 }),
      supportsVerify: true,
      perform({ params, idempotencyKey, verify }) {
        if (verify) return { ok: true }
        const portal = make(idempotencyKey, { what: 'a moongate', region: params.region, heads: 0 })
        return { ok: true, resources: [{ kind: 'portal', ref: portal.ref }] }
      },
      revert({ resource, idempotencyKey }) {
        take(resource, idempotencyKey)
        return { ok: true }
      },
    }),
    defineAction({
      id: 'shard.spawn',
      label: 'Spawn creatures',
      version: 1,
      risk: 'change',
      reversible: 'revert',
      budgetMs: 10_000,
      params: z.strictObject({ creature: z.string().min(1), count: z.number().int().min(1).max(500), region }),
      dimensions: ['creatures'],
      cost: ({ count }) => ({ creatures: count }),
      supportsVerify: true,
      perform({ params, idempotencyKey, verify }, { log }) {
        if (verify) return { ok: true }
        const horde = make(idempotencyKey, {
          what: `${params.count} × ${params.creature}`,
          region: params.region,
          heads: params.count,
        })
        log(`${horde.what} spawned in ${horde.region}`)
        return { ok: true, resources: [{ kind: 'spawn', ref: horde.ref, payload: { count: params.count } }] }
      },
      revert({ resource, idempotencyKey }) {
        take(resource, idempotencyKey)
        return { ok: true }
      },
    }),
    defineAction({
      id: 'shard.count-heads',
      label: 'Count the heads',
      description: 'Says who fought, and scores each of them by what they slew.',
      version: 1,
      risk: 'change',
      budgetMs: 2_000,
      params: z.strictObject({ region }),
      supportsVerify: true,
      perform({ params, verify }) {
        if (verify) return { ok: true }
        const participants = fighters(params.region)
        say(`the heads are counted: ${participants.map(tally).join(', ')}`)
        return { ok: true, participants }
      },
    }),
  ],
  triggers: [
    defineTrigger({
      id: 'shard.boss-slain',
      label: 'Boss slain',
      payload: z.strictObject({ boss: z.string(), level: z.number() }),
    }),
  ],
})
