import { archiveDefinition, createDefinition, publishDefinition, updateDefinition } from '../controls/definitions.ts'
import type { UpcomingCounts } from '../controls/upcoming.ts'
import { verifyDefinition } from '../controls/verify.ts'
import { uuidOf } from '../domain/ids.ts'
import type { VerificationReport as Report } from '../domain/verification.ts'
import { definitionById, versionById } from '../store/node-reads.ts'
import { needs } from './access.ts'
import { builder } from './builder.ts'
import { actorOf } from './context.ts'
import { resultUnion } from './errors.ts'
import { noSuch } from './ids.ts'
import { type DefinitionDone, definitionPayload, found } from './payloads.ts'
import { EventSpecInput, ParameterInput } from './spec-inputs.ts'
import { VerificationReport } from './verification.ts'

const ZONE = 'IANA time zone of its local times; UTC where omitted.'
const GRACE = 'How late a run may still start, in seconds, 0 to 86,400; 900 where omitted.'
const KEY = 'Template of the key of which only one run holds at a time: `invasion:{region}`.'

const CreateDefinitionInput = builder.inputType('CreateDefinitionInput', {
  description: 'A new definition. Only the slug has to be in order: the rest may be unfinished.',
  fields: (t) => ({
    slug: t.string({ required: true, description: 'Unique: lower-case letters, digits and -, up to 64.' }),
    title: t.string({ required: true, description: 'Name for people.' }),
    description: t.string({ description: 'What it is about.' }),
    timeZone: t.field({ type: 'TimeZone', description: ZONE }),
    graceSeconds: t.int({ description: GRACE }),
    concurrencyKey: t.string({ description: KEY }),
    parameters: t.field({ type: [ParameterInput], description: 'What a run asks for when it starts.' }),
    spec: t.field({ type: EventSpecInput, required: true, description: 'The draft.' }),
  }),
})

const IF_UPDATED_AT = 'Its updatedAt as you know it: CONFLICT, and nothing is done, if somebody changed it since.'

const UpdateDefinitionInput = builder.inputType('UpdateDefinitionInput', {
  description: 'What to change. A field omitted keeps its value, null clears it.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'Id of the definition.' }),
    ifUpdatedAt: t.field({ type: 'DateTime', description: IF_UPDATED_AT }),
    title: t.string({ description: 'Name for people.' }),
    description: t.string({ description: 'What it is about.' }),
    timeZone: t.field({ type: 'TimeZone', description: ZONE }),
    graceSeconds: t.int({ description: GRACE }),
    concurrencyKey: t.string({ description: KEY }),
    parameters: t.field({ type: [ParameterInput], description: 'What a run asks for when it starts; all of them.' }),
    spec: t.field({ type: EventSpecInput, description: 'The draft; all of it.' }),
  }),
})

const PublishDefinitionInput = builder.inputType('PublishDefinitionInput', {
  description: 'Which draft to publish.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'Id of the definition.' }),
    ifUpdatedAt: t.field({ type: 'DateTime', description: IF_UPDATED_AT }),
  }),
})

const VerifyDefinitionInput = builder.inputType('VerifyDefinitionInput', {
  description: 'What to verify.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'Id of the definition.' }),
    draft: t.boolean({ description: 'True: its draft instead of its current version. Nothing is kept then.' }),
  }),
})

export const DefinitionIdInput = builder.inputType('DefinitionIdInput', {
  description: 'Which definition, and why.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'Its id.' }),
    reason: t.string({ description: 'Why; kept in the audit log.' }),
  }),
})

const CreateDefinitionPayload = definitionPayload('CreateDefinition')
const UpdateDefinitionPayload = definitionPayload('UpdateDefinition')
const ArchiveDefinitionPayload = definitionPayload('ArchiveDefinition')

const UpcomingChange = builder.objectRef<UpcomingCounts>('UpcomingChange').implement({
  description: 'What a new version does to the runs to come that the schedule makes.',
  fields: (t) => ({
    added: t.exposeInt('added', {
      description: 'Occurrences within the horizon that there was no run of; the runner makes them.',
    }),
    kept: t.exposeInt('kept', {
      description: 'Runs whose occurrence is still in the schedule: they go on in the new version.',
    }),
    cancelled: t.exposeInt('cancelled', {
      description: 'Runs whose occurrence is not in the schedule any more: they are cancelled as superseded.',
    }),
  }),
})

const PublishDefinitionPayload = builder
  .objectRef<DefinitionDone & { versionId: string; verification: Report; upcoming: UpcomingCounts }>(
    'PublishDefinitionPayload',
  )
  .implement({
    description:
      'What PublishDefinition answers when it was done. A version whose verification did not pass is published all the same, and can be started by hand.',
    fields: (t) => ({
      definition: t.prismaField({
        type: 'Definition',
        description: 'The definition as it is now.',
        resolve: (query, { definitionId }, _args, { control }) =>
          found(definitionById(control.db, definitionId, query)),
      }),
      version: t.prismaField({
        type: 'Version',
        description: 'The version that was made; the current one where the draft is equal to it.',
        resolve: (query, { versionId }, _args, { control }) => found(versionById(control.db, versionId, query)),
      }),
      verification: t.field({
        type: VerificationReport,
        description: 'What verifying it found.',
        resolve: ({ verification }) => verification,
      }),
      upcoming: t.expose('upcoming', {
        type: UpcomingChange,
        description: 'What became of the runs to come; nothing yet where it did not verify.',
      }),
    }),
  })

const VerifyDefinitionPayload = builder
  .objectRef<{ error?: undefined; versionId: string | null; verification: Report; upcoming: UpcomingCounts }>(
    'VerifyDefinitionPayload',
  )
  .implement({
    description: 'What VerifyDefinition answers when it was done.',
    fields: (t) => ({
      version: t.prismaField({
        type: 'Version',
        nullable: true,
        description: 'The version that was verified; null for a draft.',
        resolve: (query, { versionId }, _args, { control }) =>
          versionId === null ? null : versionById(control.db, versionId, query),
      }),
      verification: t.field({
        type: VerificationReport,
        description: 'What was found.',
        resolve: ({ verification }) => verification,
      }),
      upcoming: t.expose('upcoming', {
        type: UpcomingChange,
        description:
          'What became of the runs to come, where this made the version verified; of a draft, what publishing it now would do to them.',
      }),
    }),
  })

const CreateDefinitionResult = resultUnion('CreateDefinition', CreateDefinitionPayload)
const UpdateDefinitionResult = resultUnion('UpdateDefinition', UpdateDefinitionPayload)
const PublishDefinitionResult = resultUnion('PublishDefinition', PublishDefinitionPayload)
const VerifyDefinitionResult = resultUnion('VerifyDefinition', VerifyDefinitionPayload)
const ArchiveDefinitionResult = resultUnion('ArchiveDefinition', ArchiveDefinitionPayload)

builder.mutationFields((t) => ({
  createDefinition: t.field({
    type: CreateDefinitionResult,
    authScopes: needs('ADMIN'),
    description: 'Creates a definition with its draft. Needs ADMIN.',
    args: { input: t.arg({ type: CreateDefinitionInput, required: true, description: 'What to create.' }) },
    resolve: (_root, { input }, context) => createDefinition(context.control, actorOf(context), input),
  }),
  updateDefinition: t.field({
    type: UpdateDefinitionResult,
    authScopes: needs('ADMIN'),
    description:
      'Changes a definition and its draft; versions and runs stay as they are. What it says already is no change. Needs ADMIN.',
    args: { input: t.arg({ type: UpdateDefinitionInput, required: true, description: 'What to change.' }) },
    resolve: (_root, { input: { id, ...changes } }, context) => {
      const definitionId = uuidOf(id, 'Definition')
      if (definitionId === null) return noSuch('definition', id)
      return updateDefinition(context.control, actorOf(context), { id: definitionId, ...changes })
    },
  }),
  publishDefinition: t.field({
    type: PublishDefinitionResult,
    authScopes: needs('ADMIN'),
    description:
      'Makes the draft the current version, which runs started from now on take. INVALID_INPUT with all of draftIssues while there are any. It is verified first, which may take 30 s. Needs ADMIN.',
    args: { input: t.arg({ type: PublishDefinitionInput, required: true, description: 'Which draft.' }) },
    resolve: (_root, { input: { id, ifUpdatedAt } }, context) => {
      const definitionId = uuidOf(id, 'Definition')
      if (definitionId === null) return noSuch('definition', id)
      return publishDefinition(context.control, actorOf(context), { id: definitionId, ifUpdatedAt })
    },
  }),
  verifyDefinition: t.field({
    type: VerifyDefinitionResult,
    authScopes: needs('ADMIN'),
    description:
      'Verifies the current version and keeps the report: once one passed, the version is verified for good. CONFLICT while there is no version. May take 30 s. Needs ADMIN.',
    args: { input: t.arg({ type: VerifyDefinitionInput, required: true, description: 'What to verify.' }) },
    resolve: (_root, { input: { id, draft } }, context) => {
      const definitionId = uuidOf(id, 'Definition')
      if (definitionId === null) return noSuch('definition', id)
      return verifyDefinition(context.control, actorOf(context), { id: definitionId, draft })
    },
  }),
  archiveDefinition: t.field({
    type: ArchiveDefinitionResult,
    authScopes: needs('ADMIN'),
    description:
      'Puts a definition away: its upcoming runs that the schedule made are cancelled. CONFLICT while others of it go on. Needs ADMIN.',
    args: { input: t.arg({ type: DefinitionIdInput, required: true, description: 'Which, and why.' }) },
    resolve: (_root, { input: { id, reason } }, context) => {
      const definitionId = uuidOf(id, 'Definition')
      return definitionId === null
        ? noSuch('definition', id)
        : archiveDefinition(context.control, actorOf(context), { id: definitionId, reason })
    },
  }),
}))
