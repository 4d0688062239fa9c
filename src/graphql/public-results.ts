import { uuidOf } from '../domain/ids.ts'
import { publishedResults } from '../store/participants.ts'
import { anyone } from './access.ts'
import { builder } from './builder.ts'
import { pageSize } from './connection.ts'
import { Participant } from './run-parts.ts'

builder.queryField('publicResults', (t) =>
  t.prismaField({
    type: [Participant],
    nullable: true,
    authScopes: anyone,
    description:
      'The results of a run by rank and then member key, unranked participants last; null before they are published, and where there is no such run. Anyone may ask, without a token too: they are shown whatever the world said of a participant.',
    args: {
      runId: t.arg.id({ required: true, description: 'Of this run.' }),
      first: t.arg.int({ defaultValue: 500, description: 'At most this many: 0 to 500.' }),
    },
    resolve: (query, _root, { runId, first }, { control }) => {
      const take = pageSize('first', first ?? 500)
      const uuid = uuidOf(runId, 'Run')
      return uuid === null ? null : publishedResults(control.db, uuid, { first: take, query })
    },
  }),
)
