import { defineAction, defineModule, defineTrigger } from 'cuelight'
import { z } from 'zod'

/** What the world holds: the shard of a game, in memory, so that the example needs nothing else. */
type Thing = { ref: string; what: string; region: string }
const things = new Map<string, Thing>()
/** Steps the world has seen: a repeat of one gets the same answer and does nothing twice. */
const seen = new Map<string, Thing>()

const say = (sentence: string): void => console.log(`[shard] ${sentence}`)

function make(key: string, what: string, region: string): Thing {
  const known = seen.get(key)
  if (known !== undefined) return known
  const thing = { ref: `shard-${seen.size + 1}`, what, region }
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
      params: z.object({ text: z.string().min(1) }),
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
      params: z.object({ region }),
      dimensions: ['portals'],
      cost: () => ({ portals: 1 }),
      supportsVerify: true,
      perform({ params, idempotencyKey, verify }) {
        if (verify) return { ok: true }
        const portal = make(idempotencyKey, 'a moongate', params.region)
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
      params: z.object({ creature: z.string().min(1), count: z.number().int().min(1).max(500), region }),
      dimensions: ['creatures'],
      cost: ({ count }) => ({ creatures: count }),
      supportsVerify: true,
      perform({ params, idempotencyKey, verify }, { log }) {
        if (verify) return { ok: true }
        const horde = make(idempotencyKey, `${params.count} × ${params.creature}`, params.region)
        log(`${horde.what} spawned in ${horde.region}`)
        return { ok: true, resources: [{ kind: 'spawn', ref: horde.ref, payload: { count: params.count } }] }
      },
      revert({ resource, idempotencyKey }) {
        take(resource, idempotencyKey)
        return { ok: true }
      },
    }),
  ],
  triggers: [
    defineTrigger({
      id: 'shard.boss-slain',
      label: 'Boss slain',
      payload: z.object({ boss: z.string(), level: z.number() }),
    }),
  ],
})
