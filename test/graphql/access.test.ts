import { beforeAll, expect, test } from 'vitest'
import type { Role } from '../../src/domain/access.ts'
import { ruleOf } from '../../src/graphql/access.ts'
import { schema } from '../../src/graphql/schema.ts'
import { testDatabase } from '../support/database.ts'
import { Client } from './client.ts'
import { type Event, insertEvent } from './fixtures.ts'

let client: Client
let event: Event
beforeAll(async () => {
  const { db } = await testDatabase()
  client = new Client(db)
  event = await insertEvent(db)
})

const as = (role: Role | null) => {
  client.role = role
  return client
}

test('every root field has a rule', () => {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]
  const fields = roots.flatMap((root) => Object.values(root?.getFields() ?? {}))
  expect(fields.length).toBeGreaterThan(20)
  expect(fields.filter((field) => ruleOf(field) === null).map(({ name }) => name)).toEqual([])
})

test('mutations need the role that the controls are given to', () => {
  const rules = Object.values(schema.getMutationType()?.getFields() ?? {}).map((field) => [field.name, ruleOf(field)])
  const [admin, moderator] = [{ role: 'ADMIN' }, { role: 'MODERATOR' }]
  expect(Object.fromEntries(rules)).toEqual({
    createDefinition: admin,
    updateDefinition: admin,
    publishDefinition: admin,
    verifyDefinition: admin,
    archiveDefinition: admin,
    startRun: admin,
    rescheduleRun: admin,
    pauseSchedule: admin,
    resumeSchedule: admin,
    cancelRun: admin,
    pauseRun: moderator,
    resumeRun: moderator,
    advancePhase: admin,
    endHold: moderator,
    claimCue: moderator,
    confirmCue: moderator,
    skipStep: moderator,
    retryStep: admin,
    emitTrigger: { role: 'EMITTER' },
    setActionSetting: admin,
    retryCleanup: admin,
    abandonResource: admin,
    createApiToken: admin,
    revokeApiToken: admin,
  })
})

test('everything that is read needs VIEWER, but for tokens and the audit log, who is asking, and published results', () => {
  const others: Record<string, unknown> = {
    viewer: { anyone: true },
    publicResults: { anyone: true },
    apiTokens: { role: 'ADMIN' },
    auditLog: { role: 'ADMIN' },
  }
  const roots = [schema.getQueryType(), schema.getSubscriptionType()]
  for (const field of roots.flatMap((root) => Object.values(root?.getFields() ?? {})))
    expect(ruleOf(field), field.name).toEqual(others[field.name] ?? { role: 'VIEWER' })
})

test('without a token viewer is null, introspection works, and the rest is UNAUTHENTICATED', async () => {
  expect(
    (await as(null).query('{ viewer { name role } __typename __schema { queryType { name } } }')).at('viewer'),
  ).toBeNull()
  const error = await as(null).error('{ actions { id } }')
  expect(error.extensions.code).toBe('UNAUTHENTICATED')
  expect(error.message).toContain('Authorization: Bearer')
  const refused = await as(null).subscribe('subscription { cues { type } }')
  expect(refused).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] })
})

test('a role reads and does what it includes, and what it does not is FORBIDDEN by name', async () => {
  const cancel = 'mutation { cancelRun(input: { id: "run_x" }) { __typename } }'
  const pause = 'mutation { pauseRun(input: { id: "run_x" }) { __typename } }'
  const read = '{ definitions { totalCount } }'
  const outcome = async (role: Role, source: string) =>
    String((await as(role).execute(source)).errors?.[0]?.extensions.code ?? 'OK')
  const table: [Role, string, string, string][] = []
  for (const role of ['VIEWER', 'EMITTER', 'MODERATOR', 'ADMIN'] as const)
    table.push([role, await outcome(role, read), await outcome(role, pause), await outcome(role, cancel)])
  expect(table).toEqual([
    ['VIEWER', 'OK', 'FORBIDDEN', 'FORBIDDEN'],
    ['EMITTER', 'FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN'],
    ['MODERATOR', 'OK', 'OK', 'FORBIDDEN'],
    ['ADMIN', 'OK', 'OK', 'OK'],
  ])
  expect((await as('MODERATOR').error(cancel)).message).toBe(
    'cancelRun needs the role ADMIN; this token has MODERATOR.',
  )
})

test('one forbidden root field refuses the whole operation, also behind an alias and a fragment', async () => {
  const { db } = client.control
  const before = await db.prisma.auditEntry.count()
  const error = await as('MODERATOR').error(
    `mutation ($id: ID!) { pauseRun(input: { id: "run_x" }) { __typename } ...more }
     fragment more on Mutation { ... on Mutation { innocent: archiveDefinition(input: { id: $id }) { __typename } } }`,
    { id: event.id },
  )
  expect(error.extensions.code).toBe('FORBIDDEN')
  expect(error.message).toContain('archiveDefinition')
  expect(await db.prisma.auditEntry.count()).toBe(before)
  const { state } = await db.prisma.definition.findUniqueOrThrow({ where: { id: event.definitionId } })
  expect(state).toBe('READY')
})

test('viewer tells who the token is', async () => {
  const data = await as('MODERATOR').query('{ viewer { name role } }')
  expect(data.at('viewer')).toEqual({ name: 'Mira', role: 'MODERATOR' })
})
