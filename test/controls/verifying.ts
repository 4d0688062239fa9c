import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, expect } from 'vitest'
import { z } from 'zod'
import type { ControlContext } from '../../src/controls/context.ts'
import { type CreateDefinitionInput, createDefinition, publishDefinition } from '../../src/controls/definitions.ts'
import type { Result } from '../../src/controls/result.ts'
import { verifyDefinition } from '../../src/controls/verify.ts'
import { formatId } from '../../src/domain/ids.ts'
import type { StepSpecInput } from '../../src/domain/spec.ts'
import type { VerificationReport } from '../../src/domain/verification.ts'
import { coreModule } from '../../src/modules/core/core.ts'
import { type ActionContext, type Answer, defineAction, defineModule, type Envelope } from '../../src/modules/module.ts'
import { Registry } from '../../src/modules/registry.ts'
import { Targets } from '../../src/modules/targets.ts'
import { Changes } from '../../src/store/changes.ts'
import { FakeClock } from '../../src/testing/fake-clock.ts'
import { controlContext } from '../support/context.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'

// Definitions whose actions say how they would work; each test has a world of its own.

export const T0 = Date.parse('2026-03-06T20:00:00.000Z')
export const MIRA = { kind: 'USER', name: 'Mira' } as const
export const MISSING = '0198f0c2-0000-7000-8000-000000000000'

export type Perform = (envelope: Envelope, context: ActionContext) => unknown

/** A module that says how it was asked; each test says what it answers. */
export class World {
  readonly calls: Envelope[] = []
  perform: Perform = () => ({ ok: true })
  #waiting: { count: number; resolve: () => void }[] = []

  /** Resolves when it has been called so many times. */
  called(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ count, resolve })
      this.#tell()
    })
  }

  #tell(): void {
    for (const { resolve } of this.#waiting.filter(({ count }) => count <= this.calls.length)) resolve()
    this.#waiting = this.#waiting.filter(({ count }) => count > this.calls.length)
  }

  readonly module = defineModule({
    id: 'shard',
    actions: [
      { id: 'shard.spawn', budgetMs: 10_000, supportsVerify: true },
      { id: 'shard.slow', budgetMs: 3_600_000, supportsVerify: true },
      { id: 'shard.mute', budgetMs: 10_000, supportsVerify: false },
    ].map((action) =>
      defineAction({
        ...action,
        label: action.id,
        version: 1,
        risk: 'change',
        params: z.object({ count: z.number().int(), note: z.string().optional() }),
        dimensions: ['creatures'],
        cost: ({ count }) => ({ creatures: count }),
        perform: (envelope, context) => {
          this.calls.push(envelope)
          this.#tell()
          return this.perform(envelope, context) as Answer
        },
      }),
    ),
  })
}

export const never = () => new Promise(() => {})

export let db: TestDatabase['db']['prisma']
export let database: TestDatabase['db']
export let world: World
export let clock: FakeClock
export let changes: Changes
export let ctx: ControlContext

beforeAll(async () => {
  database = (await testDatabase()).db
  db = database.prisma
})
beforeEach(async () => {
  await db.actionSetting.deleteMany()
  world = new World()
  clock = new FakeClock(T0)
  changes = new Changes()
  const registry = new Registry()
  expect(registry.register(coreModule(new Targets([])), { core: true })).toMatchObject({ ok: true })
  expect(registry.register(world.module)).toMatchObject({ ok: true })
  ctx = controlContext({ db: database, changes, clock, catalog: registry })
})

/** Fails the test where a control refused. */
export function done<T>(result: Result<T>): T {
  if (result.error !== undefined) throw new Error(JSON.stringify(result))
  return result
}

export const spawn = (params: Record<string, unknown> = {}, actionId = 'shard.spawn'): StepSpecInput => ({
  actionId,
  params: { count: 1, ...params },
})
export const specOf = (...steps: StepSpecInput[]) => ({ schedule: { manual: true }, phases: [{ key: 'main', steps }] })

export async function create(steps: StepSpecInput[], input: Partial<CreateDefinitionInput> = {}): Promise<string> {
  const event = { slug: `event-${randomUUID()}`, title: 'Event', spec: specOf(...steps), ...input }
  return done(await createDefinition(ctx, MIRA, event)).definitionId
}
export const publish = async (id: string) => done(await publishDefinition(ctx, MIRA, { id }))
export const verify = async (id: string) => done(await verifyDefinition(ctx, MIRA, { id }))
export const verifyDraft = async (id: string) => done(await verifyDefinition(ctx, MIRA, { id, draft: true }))
export const versionsOf = (definitionId: string) =>
  db.version.findMany({ where: { definitionId }, orderBy: { version: 'asc' } })
export const auditOf = async (id: string) =>
  (await db.auditEntry.findMany({ where: { subject: formatId('Definition', id) }, orderBy: { id: 'asc' } })).map(
    ({ action, detail }) => ({ action, detail }),
  )
export const findingsOf = ({ steps }: VerificationReport) => steps.map(({ finding }) => finding)

/** The action hangs when it is first asked; `answer` lets it go on. */
export function hangOnce(): { asked: Promise<void>; answer: () => void } {
  let answer = () => {}
  const hung = new Promise<void>((resolve) => {
    answer = resolve
  })
  const asked = world.called(1)
  world.perform = async () => {
    if (world.calls.length === 1) await hung
    return { ok: true }
  }
  return { asked, answer: () => answer() }
}
