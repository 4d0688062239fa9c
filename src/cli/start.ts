import type { Command } from 'commander'
import { z } from 'zod'
import { mutate } from './api.ts'
import { EVENT_ARGUMENT, findEvent } from './find-event.ts'
import { instantOption } from './instant.ts'
import { JSON_ARGUMENT, jsonArgument } from './json-argument.ts'
import { RUN_ROW, RunRow, sayRun } from './run-row.ts'
import { type ClientOptions, clientCommand, inSession } from './session.ts'

type StartOptions = ClientOptions & {
  at?: string
  scope?: string
  params?: string
  requestId?: string
  rehearsal?: boolean
}

export function startCommand(): Command {
  return clientCommand('start')
    .description('start a run of an event, now or at an instant to come (ADMIN)')
    .argument('<event>', EVENT_ARGUMENT)
    .option('--at <instant>', 'when, like 2027-01-01T20:00:00Z; omitted: now', instantOption)
    .option('--scope <scope>', 'where it happens: a shard, a region, a channel')
    .option('--params <json>', `values of its parameters: ${JSON_ARGUMENT}`)
    .option('--request-id <id>', 'the same again answers the run that the first made: for trying again safely')
    .option('--rehearsal', 'real timing and cues, nothing changed in the world')
    .action(start)
}

function start(event: string, { at, scope, params, requestId, rehearsal, ...options }: StartOptions): Promise<void> {
  return inSession(options, async (session) => {
    const input = {
      ...(at === undefined ? {} : { scheduledFor: at }),
      ...(scope === undefined ? {} : { scope }),
      ...(params === undefined ? {} : { params: jsonArgument('--params', params) }),
      ...(requestId === undefined ? {} : { requestId }),
      ...(rehearsal === undefined ? {} : { rehearsal }),
    }
    const started = await mutate(session.config, {
      name: 'startRun',
      input: { definitionId: await findEvent(session, event), ...input },
      payload: `{ created run ${RUN_ROW} }`,
      shape: z.object({ created: z.boolean(), run: RunRow }),
    })
    const { created, run } = started
    session.answer(started, () => (created ? sayRun(run) : `It was there already. ${sayRun(run)}`))
    session.remark(`Follow it with "cuelight logs ${run.id} -f".`)
  })
}
