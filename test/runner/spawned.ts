import { confirmCue } from '../../src/controls/steps.ts'
import { MIRA, type Stage, type StageStep, T0 } from '../support/stage.ts'

// What tests of the ledger make, do and look at.

export const MINUTE = 60_000
export const CUE: StageStep = { actionId: 'core.cue', params: { instruction: 'Go' } }
export const spawn = (key: string, more: Partial<StageStep> = {}): StageStep => ({
  actionId: 'test.spawn',
  key,
  ...more,
})
export const made = (...refs: string[]) => ({ ok: true, resources: refs.map((ref) => ({ kind: 'spawn', ref })) })
export const leased = (ref: string, ms: number) => ({
  ok: true,
  resources: [{ kind: 'spawn', ref, leaseUntil: new Date(T0 + ms).toISOString() }],
})

/** What a run's ledger holds, oldest first. */
export const ledger = async (stage: Stage, runId: string) =>
  (await stage.db.prisma.resource.findMany({ where: { runId }, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] })).map(
    ({ kind, ref, status }) => `${kind === '@step' ? kind : ref} ${status}`,
  )

export const resource = (stage: Stage, ref: string) => stage.db.prisma.resource.findFirstOrThrow({ where: { ref } })

export const confirm = async (stage: Stage, runId: string, seq: number) => {
  await confirmCue(stage.ctx, MIRA, { stepId: (await stage.step(runId, seq)).id })
  await stage.settle()
}
