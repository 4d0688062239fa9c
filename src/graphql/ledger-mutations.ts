import { abandonResource } from '../controls/ledger.ts'
import { uuidOf } from '../domain/ids.ts'
import { resourceById } from '../store/node-reads.ts'
import { needs } from './access.ts'
import { builder } from './builder.ts'
import { actorOf } from './context.ts'
import { resultUnion } from './errors.ts'
import { noSuch } from './ids.ts'
import { found } from './payloads.ts'

const AbandonResourceInput = builder.inputType('AbandonResourceInput', {
  description: 'What to leave in the world, and why.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'Id of the resource; it could not be taken back.' }),
    reason: t.string({ required: true, description: 'Why; kept in the log.' }),
  }),
})

const AbandonResourcePayload = builder
  .objectRef<{ error?: undefined; resourceId: string }>('AbandonResourcePayload')
  .implement({
    description: 'What AbandonResource answers when it was done.',
    fields: (t) => ({
      resource: t.prismaField({
        type: 'Resource',
        description: 'The resource as it is now.',
        resolve: (query, { resourceId }, _args, { control }) => found(resourceById(control.db, resourceId, query)),
      }),
    }),
  })

const AbandonResourceResult = resultUnion('AbandonResource', AbandonResourcePayload)

builder.mutationField('abandonResource', (t) =>
  t.field({
    type: AbandonResourceResult,
    authScopes: needs('ADMIN'),
    description:
      'Leaves in the world, for good, what could not be taken back of a run whose cleanup is INCOMPLETE. Needs ADMIN.',
    args: { input: t.arg({ type: AbandonResourceInput, required: true, description: 'What, and why.' }) },
    resolve: (_root, { input: { id, reason } }, context) => {
      const resourceId = uuidOf(id, 'Resource')
      return resourceId === null
        ? noSuch('resource', id)
        : abandonResource(context.control, actorOf(context), { resourceId, reason })
    },
  }),
)
