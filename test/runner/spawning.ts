import { expect } from 'vitest'
import { z } from 'zod'
import { setActionSetting } from '../../src/controls/settings.ts'
import { type Answer, defineAction, defineModule, type Envelope } from '../../src/modules/module.ts'
import { MIRA, newStage, type Stage, type StagePhase } from '../support/stage.ts'

// Stages whose world spawns creatures, which are counted.

type Spawned = { calls: (Envelope & { what: string })[]; answers: Map<string, () => unknown> }

/** A stage whose world counts what is spawned, `late` once it is registered; `vermin` is an action of the same kind that cannot be taken back. */
export async function spawningStage(
  settings: Parameters<typeof newStage>[0] = {},
  { late = false } = {},
): Promise<Stage & { world: Spawned; register(): void }> {
  const stage = await newStage(settings)
  const world: Spawned = { calls: [], answers: new Map() }
  const params = z.object({
    what: z.string().default('orc'),
    count: z.number().default(1),
    gold: z.number().optional(),
  })
  const perform = (envelope: Envelope<z.output<typeof params>>) => {
    const { what } = envelope.params
    world.calls.push({ ...envelope, what })
    return (world.answers.get(what)?.() ?? { ok: true }) as Answer
  }
  const common = { label: 'Spawn', version: 1, risk: 'change', budgetMs: 10_000, params, perform } as const
  const dimensions = ['creatures', 'gold']
  const cost = ({ count, gold }: z.output<typeof params>): Record<string, number> => {
    if (count === 666) throw new Error('the beast is not for sale')
    if (count === 7) return { creatures: Number.NaN }
    if (count === 8) return { dragons: 1 }
    return { creatures: count, ...(gold === undefined ? {} : { gold }) }
  }
  const module = defineModule({
    id: 'shard',
    actions: [
      defineAction({
        ...common,
        id: 'shard.spawn',
        dimensions,
        cost,
        reversible: 'revert',
        revert: () => ({ ok: true }),
      }),
      defineAction({ ...common, id: 'shard.vermin', dimensions, cost, supportsVerify: true }),
      defineAction({ ...common, id: 'shard.plain' }),
    ],
  })
  const register = () => expect(stage.registry.register(module)).toEqual({ ok: true, id: 'shard' })
  if (!late) register()
  return Object.assign(stage, { world, register })
}

export const vermin = (params: Record<string, unknown> = {}, onFailure: 'SKIP' | 'PAUSE' | 'ABORT_RUN' = 'SKIP') => ({
  actionId: 'shard.vermin',
  params,
  onFailure,
})
export const one = (...steps: StagePhase['steps']): StagePhase[] => [{ key: 'one', steps }]

export async function set(
  stage: Stage,
  actionId: string,
  setting: { enabled?: boolean; caps?: Record<string, number | null> },
) {
  const caps = Object.entries(setting.caps ?? {}).map(([dimension, cap]) => ({ dimension, cap }))
  const answer = await setActionSetting(stage.ctx, MIRA, { actionId, ...setting, caps })
  expect(answer.error).toBeUndefined()
}

export async function meter(stage: Stage, runId: string) {
  const lines = await stage.db.prisma.budgetLine.findMany({ where: { runId }, orderBy: { dimension: 'asc' } })
  return lines.map(({ dimension, consumed, cap, capFrom }) => [dimension, consumed, cap, capFrom])
}

export const detailsOf = async (stage: Stage, runId: string, kind: string) =>
  (await stage.log(runId)).filter((line) => line.kind === kind).map(({ detail }) => detail)
export const statuses = async (stage: Stage, runId: string) =>
  (await stage.run(runId)).steps.map(({ status }) => status)
