import type { Command } from 'commander'
import { z } from 'zod'
import { askApi } from './api.ts'
import { showInstant } from './instant.ts'
import { printable } from './printable.ts'
import { type ClientOptions, clientCommand, inSession } from './session.ts'
import { table } from './table.ts'

const Cues = z.object({
  cues: z.array(
    z.object({
      id: z.string(),
      instruction: z.string(),
      parkedAt: z.string(),
      claimedAt: z.string().nullable(),
      claimedBy: z.object({ name: z.string() }).nullable(),
      run: z.object({
        id: z.string(),
        scope: z.string(),
        timeZone: z.string(),
        rehearsal: z.boolean(),
        definition: z.object({ slug: z.string(), title: z.string() }),
      }),
    }),
  ),
})

export function cuesCommand(): Command {
  return clientCommand('cues')
    .description('what waits for a person, oldest first')
    .option('--scope <scope>', "of runs in this scope, '' too; omitted: of all")
    .action(listCues)
}

function listCues({ scope, ...options }: ClientOptions & { scope?: string }): Promise<void> {
  return inSession(options, async (session) => {
    const { cues } = await askApi(session.config, {
      document: `query ($scope: String) { cues(scope: $scope) {
        id instruction parkedAt claimedAt claimedBy { name }
        run { id scope timeZone rehearsal definition { slug title } }
      } }`,
      variables: { scope: scope ?? null },
      shape: Cues,
    })
    const { viewerZone } = session
    const rows = cues.map(({ id, run, parkedAt, claimedBy, instruction }) => [
      id,
      run.definition.slug,
      printable(run.scope),
      showInstant(parkedAt, { viewerZone, eventZone: run.timeZone }),
      printable(claimedBy?.name ?? ''),
      printable(`${run.rehearsal ? '(rehearsal) ' : ''}${instruction}`),
    ])
    session.answer(cues, () =>
      rows.length === 0
        ? 'No cue waits for a person.'
        : table(['CUE', 'EVENT', 'SCOPE', 'SINCE', 'CLAIMED BY', 'INSTRUCTION'], rows),
    )
  })
}
