import { randomUUID } from 'node:crypto'
import type { ControlContext } from '../../src/controls/context.ts'
import { type CreateDefinitionInput, createDefinition, publishDefinition } from '../../src/controls/definitions.ts'
import type { Result } from '../../src/controls/result.ts'
import { formatId } from '../../src/domain/ids.ts'
import type { EventSpecInput } from '../../src/domain/spec.ts'
import { coreModule } from '../../src/modules/core/core.ts'
import { Registry } from '../../src/modules/registry.ts'
import { Targets } from '../../src/modules/targets.ts'
import { Changes } from '../../src/store/changes.ts'
import { FakeClock } from '../../src/testing/fake-clock.ts'
import { controlContext } from '../support/context.ts'
import { testDatabase } from '../support/database.ts'

// Definitions on a database of the file's own, with a catalog of one action.

export const T0 = Date.parse('2026-03-06T20:00:00.000Z')
export const MIRA = { kind: 'USER', name: 'Mira' } as const
export const MISSING = '0198f0c2-0000-7000-8000-000000000000'
export const versionOf: Record<string, number> = { 'core.log': 1 }
const registry = new Registry()
registry.register(coreModule(new Targets([])), { core: true })
const catalog: ControlContext['catalog'] = {
  action: (id) => {
    const [action, version] = [registry.action(id), versionOf[id]]
    return action === undefined || version === undefined ? undefined : { ...action, version }
  },
  trigger: (id) => registry.trigger(id),
  whyMissing: (id) => registry.whyMissing(id),
}
export const clock = new FakeClock(T0)
export const changes = new Changes()
const database = await testDatabase()
export const ctx: ControlContext = controlContext({ db: database.db, changes, clock, catalog })
export const db = database.db.prisma

export const SPEC: EventSpecInput = {
  schedule: { manual: true },
  phases: [{ key: 'main', steps: [{ actionId: 'core.log', params: { message: 'Hello {region}' } }] }],
}
export const says = (message: string): EventSpecInput => ({
  ...SPEC,
  phases: [{ key: 'main', steps: [{ actionId: 'core.log', params: { message } }] }],
})

/** Fails the test where a control refused. */
export function done<T>(result: Result<T>): T {
  if (result.error !== undefined) throw new Error(JSON.stringify(result))
  return result
}

export const freeSlug = () => `event-${randomUUID()}`
export async function create(input: Partial<CreateDefinitionInput> = {}): Promise<string> {
  const created = await createDefinition(ctx, MIRA, { slug: freeSlug(), title: 'Event', spec: SPEC, ...input })
  return done(created).definitionId
}
export const read = (id: string) =>
  db.definition.findUniqueOrThrow({ where: { id }, include: { versions: { orderBy: { version: 'asc' } } } })
export const auditOf = (id: string) =>
  db.auditEntry.findMany({ where: { subject: formatId('Definition', id) }, orderBy: { id: 'asc' } })
export async function published(input: Partial<CreateDefinitionInput> = {}) {
  const id = await create(input)
  return done(await publishDefinition(ctx, MIRA, { id }))
}
