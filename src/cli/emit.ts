import type { Command } from 'commander'
import { z } from 'zod'
import { mutate } from './api.ts'
import { JSON_ARGUMENT, jsonArgument } from './json-argument.ts'
import { type ClientOptions, clientCommand, inSession } from './session.ts'
import { table } from './table.ts'

type EmitOptions = ClientOptions & { payload?: string; scope?: string; dedupeKey?: string; rehearsal?: boolean }

const Emitted = z.object({
  duplicate: z.boolean(),
  matchedCount: z.number(),
  matched: z.array(
    z.object({
      runId: z.string(),
      phase: z.string(),
      matched: z.boolean(),
      tally: z.number(),
      needed: z.number(),
      opened: z.boolean(),
    }),
  ),
})
type Emitted = z.infer<typeof Emitted>

export function emitCommand(): Command {
  return clientCommand('emit')
    .description('tell the runs whose gate waits for a trigger that it happened (EMITTER)')
    .argument('<trigger>', 'id of the trigger, like shard.boss-slain')
    .option('--payload <json>', `what there is to say about it: ${JSON_ARGUMENT}`)
    .option('--scope <scope>', "only runs of this scope, also of '', the one without a name; omitted: all")
    .option('--dedupe-key <key>', 'counts once within 24 h, however often it is sent: for trying again safely')
    .option('--rehearsal', 'rehearsals only; else real runs only')
    .action(emit)
}

function emit(trigger: string, { payload, scope, dedupeKey, rehearsal, ...options }: EmitOptions): Promise<void> {
  return inSession(options, async (session) => {
    const emitted = await mutate(session.config, {
      name: 'emitTrigger',
      input: {
        trigger,
        ...(payload === undefined ? {} : { payload: jsonArgument('--payload', payload) }),
        ...(scope === undefined ? {} : { scope }),
        ...(dedupeKey === undefined ? {} : { dedupeKey }),
        ...(rehearsal === undefined ? {} : { rehearsal }),
      },
      payload: '{ duplicate matchedCount matched { runId phase matched tally needed opened } }',
      shape: Emitted,
    })
    session.answer(emitted, () => say(trigger, emitted))
  })
}

function say(trigger: string, { duplicate, matchedCount, matched }: Emitted): string {
  const gates = matchedCount === 1 ? '1 gate' : `${matchedCount} gates`
  const said = duplicate
    ? `This was emitted before, when it counted for ${gates}; it counted for none now.`
    : `${trigger} counted for ${gates}.`
  if (matched.length === 0) return said
  const rows = matched.map((gate) => [
    gate.runId,
    gate.phase,
    `${gate.tally} of ${gate.needed}`,
    gate.opened ? 'opened the gate' : gate.matched ? 'counts' : 'does not meet the condition',
  ])
  return `${said}\n${table(['RUN', 'PHASE', 'TALLY', ''], rows)}`
}
