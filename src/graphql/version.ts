import { parseReport } from '../domain/verification.ts'
import { builder } from './builder.ts'
import { EventSpec, Parameter } from './spec.ts'
import { objectOf, objectsOf } from './stored-json.ts'
import { VerificationReport } from './verification.ts'
import { ActorRef } from './viewer.ts'

/** A version's columns are loaded as they are asked for: a spec can be large. */
export const EventVersion = builder.prismaNode('Version', {
  name: 'EventVersion',
  id: { field: 'id', description: 'ver_<uuid>' },
  select: { id: true },
  description: 'An immutable, numbered snapshot of a definition, made by publishing. Runs take everything from theirs.',
  fields: (t) => ({
    version: t.exposeInt('version', { description: 'Counted from 1 in its definition.' }),
    spec: t.field({
      type: EventSpec,
      description: "What it does, with each action's version and what a failure does pinned.",
      select: { spec: true },
      resolve: ({ spec }) => objectOf(spec),
    }),
    timeZone: t.expose('timeZone', { type: 'TimeZone', description: 'The zone that its local times are in.' }),
    graceSeconds: t.exposeInt('graceSeconds', {
      description: 'How late a run may still start, in seconds; then it is MISSED.',
    }),
    concurrencyKey: t.exposeString('concurrencyKey', {
      nullable: true,
      description: 'Template of the key of which only one run holds at a time: `invasion:{region}`. Null: none.',
    }),
    parameters: t.field({
      type: [Parameter],
      description: 'What a run of it asks for when it starts.',
      select: { parameters: true },
      resolve: ({ parameters }) => objectsOf(parameters),
    }),
    publishedAt: t.expose('publishedAt', { type: 'DateTime', description: 'When it was published.' }),
    publishedBy: t.field({
      type: ActorRef,
      description: 'Who published it.',
      select: { publishedByKind: true, publishedByName: true },
      resolve: ({ publishedByKind, publishedByName }) => ({ kind: publishedByKind, name: publishedByName }),
    }),
    verifiedAt: t.expose('verifiedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When a verification of it first passed; null: none has, and its schedule is held.',
    }),
    verification: t.field({
      type: VerificationReport,
      nullable: true,
      description: 'The report of the last verification of it; publishing makes the first.',
      select: { verification: true },
      resolve: ({ verification }) => parseReport(verification),
    }),
    definition: t.relation('definition', { description: 'What it is a version of.' }),
  }),
})
