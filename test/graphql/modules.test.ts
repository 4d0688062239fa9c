import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { defineAction, defineModule, defineTrigger } from '../../src/modules/module.ts'
import { Registry } from '../../src/modules/registry.ts'
import { testDatabase } from '../support/database.ts'
import { Client, NOW } from './client.ts'

let client: Client
beforeAll(async () => {
  const { db } = await testDatabase()
  const registry = new Registry()
  const params = z.object({ count: z.number().int().min(1) })
  const registered = registry.register(
    defineModule({
      id: 'shard',
      actions: [
        defineAction({
          id: 'shard.spawn',
          label: 'Spawn creatures',
          description: 'Puts creatures into the world.',
          version: 3,
          risk: 'change',
          reversible: 'revert',
          budgetMs: 5000,
          params,
          dimensions: ['creatures'],
          cost: ({ count }) => ({ creatures: count }),
          supportsVerify: true,
          perform: () => ({ ok: true }),
          revert: () => ({ ok: true }),
        }),
        defineAction({
          id: 'shard.ban',
          label: 'Ban',
          version: 1,
          risk: 'irreversible',
          budgetMs: 100,
          params: z.object({}),
          perform: () => ({ ok: true }),
        }),
      ],
      triggers: [
        defineTrigger({ id: 'shard.boss-slain', label: 'Boss slain', payload: z.object({ boss: z.string() }) }),
      ],
    }),
  )
  expect(registered).toEqual({ ok: true, id: 'shard' })
  client = new Client(db, { registry })
})

test('actions tell what they are, what they take, and what an admin set for them', async () => {
  const { prisma } = client.control.db
  await prisma.actionSetting.create({
    data: {
      actionId: 'shard.ban',
      enabled: false,
      updatedAt: NOW,
      caps: {
        create: [
          { dimension: 'players', cap: 2 },
          { dimension: 'bans', cap: null },
        ],
      },
    },
  })
  const data = await client.query(`{ actions {
    id module label description version risk reversible budgetMs paramsSchema dimensions supportsVerify
    setting { enabled caps { dimension cap } }
  } }`)
  expect(data.at('actions')).toEqual([
    {
      id: 'shard.ban',
      module: 'shard',
      label: 'Ban',
      description: null,
      version: 1,
      risk: 'IRREVERSIBLE',
      reversible: 'NONE',
      budgetMs: 100,
      paramsSchema: expect.objectContaining({ type: 'object' }),
      dimensions: [],
      supportsVerify: false,
      setting: {
        enabled: false,
        caps: [
          { dimension: 'bans', cap: null },
          { dimension: 'players', cap: 2 },
        ],
      },
    },
    {
      id: 'shard.spawn',
      module: 'shard',
      label: 'Spawn creatures',
      description: 'Puts creatures into the world.',
      version: 3,
      risk: 'CHANGE',
      reversible: 'REVERT',
      budgetMs: 5000,
      paramsSchema: expect.objectContaining({
        properties: { count: expect.objectContaining({ type: 'integer', minimum: 1 }) },
      }),
      dimensions: ['creatures'],
      supportsVerify: true,
      setting: { enabled: true, caps: [] },
    },
  ])
})

test('triggers tell what they are emitted with', async () => {
  const data = await client.query('{ triggers { id module label description payloadSchema } }')
  expect(data.at('triggers')).toEqual([
    {
      id: 'shard.boss-slain',
      module: 'shard',
      label: 'Boss slain',
      description: null,
      payloadSchema: expect.objectContaining({ properties: { boss: expect.objectContaining({ type: 'string' }) } }),
    },
  ])
})
