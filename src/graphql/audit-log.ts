import { type AuditRow, auditList } from '../store/audit-reads.ts'
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

const AuditFilterInput = builder.inputType('AuditFilter', {
  description: 'Which entries. What is omitted does not restrict.',
  fields: (t) => ({
    actor: t.string({ description: 'By whom: with this text in the name; upper or lower case alike.' }),
    action: t.stringList({ description: 'With one of these actions: `token.revoke`.' }),
    subject: t.id({ description: 'Done to what has this id.' }),
    from: t.field({ type: 'DateTime', description: 'At or after this instant.' }),
    to: t.field({ type: 'DateTime', description: 'Before this instant.' }),
  }),
})

builder.queryField('auditLog', (t) =>
  t.connection({
    type: AuditEntry,
    authScopes: needs('ADMIN'),
    description: 'Who did what to everything that is not a run, newest first. Needs ADMIN.',
    args: { filter: t.arg({ type: AuditFilterInput, description: 'Which; all where omitted.' }) },
    resolve: async (_root, { filter, ...args }, { control }) => {
      const slice = readSlice(args, AUDIT_CURSOR)
      const list = auditList(filter ?? {})
      const pages = await pagesOf<AuditRow>(control.db, [''], { list, slice })
      return connectionFrom(pages.get('') ?? { rows: [], more: false }, {
        slice,
        kind: AUDIT_CURSOR,
        keyOf: ({ at, id }) => [at.getTime(), id],
        nodeOf: (row) => row,
        totalCount: async () => (await countsOf(control.db, [''], list)).get('') ?? null,
      })
    },
  }),
)
