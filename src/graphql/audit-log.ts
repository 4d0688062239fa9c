import { AUDIT_LIST, type AuditRow } from '../store/audit-reads.ts'
import { countsOf, pagesOf } from '../store/keyset.ts'
import { needs } from './access.ts'
import { builder } from './builder.ts'
import { type CursorKind, connectionFrom, readSlice } from './connection.ts'
import { objectOf } from './stored-json.ts'
import { ActorRef } from './viewer.ts'

const AUDIT_CURSOR: CursorKind = { name: 'audit', values: ['instant', 'uuid'] }

const AuditEntry = builder.objectRef<AuditRow>('AuditEntry').implement({
  description: 'Who did what to something that is not a run. What was done to a run is in the log of the run.',
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'When.' }),
    actor: t.field({
      type: ActorRef,
      description: 'Who.',
      resolve: ({ actorKind, actorName }) => ({ kind: actorKind, name: actorName }),
    }),
    action: t.exposeString('action', { description: 'What they did: `definition.publish`, `token.revoke`, …' }),
    subject: t.exposeID('subject', { nullable: true, description: 'The id of what they did it to.' }),
    detail: t.field({
      type: 'JSONObject',
      description: 'What else there is to say of it, by action.',
      resolve: ({ detail }) => objectOf(detail),
    }),
  }),
})

builder.queryField('auditLog', (t) =>
  t.connection({
    type: AuditEntry,
    authScopes: needs('ADMIN'),
    description: 'Who did what to everything that is not a run, newest first. Needs ADMIN.',
    resolve: async (_root, args, { control }) => {
      const slice = readSlice(args, AUDIT_CURSOR)
      const pages = await pagesOf<AuditRow>(control.db, [''], { list: AUDIT_LIST, slice })
      return connectionFrom(pages.get('') ?? { rows: [], more: false }, {
        slice,
        kind: AUDIT_CURSOR,
        keyOf: ({ at, id }) => [at.getTime(), id],
        nodeOf: (row) => row,
        totalCount: async () => (await countsOf(control.db, [''], AUDIT_LIST)).get('') ?? null,
      })
    },
  }),
)
