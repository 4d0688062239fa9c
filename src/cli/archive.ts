import type { Command } from 'commander'
import { z } from 'zod'
import { mutate } from './api.ts'
import { EVENT_ARGUMENT, findEvent } from './find-event.ts'
import { printable } from './printable.ts'
import { type ClientOptions, clientCommand, inSession } from './session.ts'

const Archived = z.object({
  definition: z.object({ id: z.string(), slug: z.string(), title: z.string(), state: z.string() }),
})

export function archiveCommand(): Command {
  return clientCommand('archive')
    .description('put an event away for good; its runs to come that the schedule made are cancelled (ADMIN)')
    .argument('<event>', EVENT_ARGUMENT)
    .action(archive)
}

function archive(event: string, options: ClientOptions): Promise<void> {
  return inSession(options, async (session) => {
    const { definition } = await mutate(session.config, {
      name: 'archiveDefinition',
      inputType: 'DefinitionIdInput',
      input: { id: await findEvent(session, event) },
      payload: '{ definition { id slug title state } }',
      shape: Archived,
    })
    session.answer(definition, () => printable(`${definition.title} (${definition.slug}) is ${definition.state}.`))
  })
}
