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

const SET = `mutation ($input: ActionSettingInput!) { setActionSetting(input: $input) {
  __typename
  ... on SetActionSettingPayload { action { id setting { enabled caps { dimension cap } } } }
  ... on Error { code message }
  ... on InvalidInputError { issues { path message } }
} }`
const set = async (input: object) => (await client.query(SET, { input })).at('setActionSetting')
const setting = (enabled: boolean, cap?: number | null) => ({
  __typename: 'SetActionSettingPayload',
  action: {
    id: 'shard.spawn',
    setting: { enabled, caps: cap === undefined ? [] : [{ dimension: 'creatures', cap }] },
  },
})

test('an admin switches an action and sets its caps; what is omitted stays, and each change is audited', async () => {
  const actionId = 'shard.spawn'
  const steps: [object, object][] = [
    [{}, setting(true)],
    [{ enabled: false }, setting(false)],
    [{ caps: [{ dimension: 'creatures', cap: 40 }] }, setting(false, 40)],
    [{ enabled: true, caps: null, reason: ' It is mended. ' }, setting(true, 40)],
    [{ enabled: null, caps: [] }, setting(true, 40)],
    [{ caps: [{ dimension: 'creatures', cap: 0.5 }] }, setting(true, 0.5)],
    [{ caps: [{ dimension: 'creatures' }] }, setting(true, null)],
  ]
  for (const [change, after] of steps) expect(await set({ actionId, ...change })).toEqual(after)
  const audit = await client.control.db.prisma.auditEntry.findMany({ orderBy: { id: 'asc' } })
  expect(audit.map(({ action, subject, detail }) => [action, subject, detail])).toEqual(
    [
      { enabled: false },
      { caps: [{ dimension: 'creatures', cap: 40 }] },
      { enabled: true, reason: 'It is mended.' },
      { caps: [{ dimension: 'creatures', cap: 0.5 }] },
      { caps: [{ dimension: 'creatures', cap: null }] },
    ].map((detail) => ['action.setting', actionId, detail]),
  )
  expect(audit[0]).toMatchObject({ actorKind: 'TOKEN', actorName: 'Mira', at: NOW })
})

test('a dimension that the action does not count, one that is given twice and a cap below 0 are each an issue', async () => {
  const caps = [
    { dimension: 'creatures', cap: -1 },
    { dimension: 'gold', cap: 1 },
    { dimension: 'creatures', cap: 1 },
  ]
  expect(await set({ actionId: 'shard.spawn', enabled: false, caps })).toMatchObject({
    code: 'INVALID_INPUT',
    issues: [
      {
        path: 'caps[0].cap',
        message: 'The cap must be a number of 0 or more, and is -1; null counts without a bound.',
      },
      { path: 'caps[1].dimension', message: 'shard.spawn has no dimension "gold". Give one of: creatures.' },
      { path: 'caps[2].dimension', message: '"creatures" is given twice; give it once.' },
    ],
  })
  expect(await set({ actionId: 'shard.ban', caps: [{ dimension: 'players', cap: 1 }] })).toMatchObject({
    issues: [{ message: expect.stringContaining('It counts nothing') }],
  })
  expect((await client.query('{ actions { setting { enabled } } }')).at('actions', 1, 'setting', 'enabled')).toBe(true)
})

test('an action that is not registered is NOT_FOUND, by name', async () => {
  expect(await set({ actionId: 'shard.rain', enabled: false })).toMatchObject({
    code: 'NOT_FOUND',
    message: expect.stringContaining('shard.rain is not registered'),
  })
  expect(await client.control.db.prisma.actionSetting.count({ where: { actionId: 'shard.rain' } })).toBe(0)
})
