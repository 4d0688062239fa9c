import { expect, test } from 'vitest'
import type { Answer } from '../../src/modules/module.ts'
import { createTestServer } from '../../src/testing/index.ts'

test('what an action that hangs may have made is taken back, on the machine’s clock and before time goes on', async () => {
  const reverted: string[] = []
  const shard = {
    id: 'shard',
    actions: [
      {
        id: 'shard.spawn',
        label: 'Spawn',
        version: 1,
        risk: 'notify' as const,
        reversible: 'revert' as const,
        budgetMs: 1_000,
        params: {},
        perform: () => new Promise<Answer>(() => {}),
        revert: ({ resource }: { resource: { kind: string } }) => {
          reverted.push(resource.kind)
          return new Promise<Answer>((resolve) => setTimeout(resolve, 300, { ok: true }))
        },
      },
    ],
  }
  await using server = await createTestServer({ modules: [shard], hanging: ['shard.spawn'], stepMaxAttempts: 1 })
  const spec = {
    schedule: { manual: true },
    phases: [{ key: 'one', steps: [{ actionId: 'shard.spawn', onFailure: 'SKIP' as const }] }],
  }
  const run = await server.play({ slug: 'spawning', title: 'Spawning', spec })
  expect(await run.finish()).toBe('COMPLETED')
  expect(reverted).toEqual(['@step'])
  expect(await run.state()).toMatchObject({ cleanupStatus: 'CLEAN' })
})
