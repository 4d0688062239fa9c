/**
 * Plays "Invasion of Yew" from start to end: starts a server on a PostgreSQL of its own in a temporary folder, publishes
 * and starts the event over the public API, follows its log, and does what a game master would do. Exits 0 only when
 * the run is COMPLETED and nothing of it is left in the world.
 */
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { type Connection, connect } from './demo-client.ts'
import { startDemoServer } from './demo-server.ts'
import { say } from './demo-terminal.ts'

const EVENT = fileURLToPath(new URL('./invasion-of-yew.json', import.meta.url))
const LIMIT_MS = 60_000
/** A game master reads before pressing Done. */
const READING_MS = 700
/** The players take the orc lord down before the game server says so. */
const FIGHT_MS = 1_000
/** Between two looks at a cleanup that goes on. */
const LOOKING_MS = 100
/** How a cleanup may end that left nothing behind. */
const CLEAN = ['CLEAN']

const Created = z.object({
  createDefinition: z.object({ definition: z.object({ id: z.string(), title: z.string() }) }),
})
const Published = z.object({ publishDefinition: z.object({ version: z.object({ version: z.number() }) }) })
const Started = z.object({ startRun: z.object({ run: z.object({ id: z.string() }) }) })
const Ended = z.object({
  run: z.object({
    status: z.string(),
    cleanupStatus: z.string(),
    lastError: z.string().nullable(),
    endedBecause: z.string().nullable(),
  }),
})
const Results = z.object({
  publicResults: z
    .array(z.object({ rank: z.number().nullable(), memberKey: z.string(), score: z.number().nullable() }))
    .nullable(),
})
const LogBatch = z.object({
  runLog: z.object({ entries: z.array(z.object({ at: z.string(), kind: z.string(), text: z.string() })) }),
})
const Emitted = z.object({ emitTrigger: z.object({ matchedCount: z.number() }) })
const CueEvent = z.object({
  cues: z.object({
    type: z.string(),
    cue: z.object({ id: z.string(), instruction: z.string(), run: z.object({ id: z.string() }) }),
  }),
})

async function play(connection: Connection): Promise<Outcome> {
  const input: unknown = JSON.parse(await readFile(EVENT, 'utf8'))
  const { definition } = Created.parse(
    await connection.mutate(
      `mutation ($input: CreateDefinitionInput!) { createDefinition(input: $input) {
        ... on CreateDefinitionPayload { definition { id title } } ... on Error { code message } } }`,
      { input },
    ),
  ).createDefinition
  const { version } = Published.parse(
    await connection.mutate(
      `mutation ($input: PublishDefinitionInput!) { publishDefinition(input: $input) {
        ... on PublishDefinitionPayload { version { version } } ... on Error { code message } } }`,
      { input: { id: definition.id } },
    ),
  ).publishDefinition
  say.step(`Published "${definition.title}" as version ${version.version}.`)

  const { run } = Started.parse(
    await connection.mutate(
      `mutation ($input: StartRunInput!) { startRun(input: $input) {
        ... on StartRunPayload { run { id } } ... on Error { code message } } }`,
      { input: { definitionId: definition.id } },
    ),
  ).startRun
  say.step('Started it. The run log, as it is written:')
  say.line('')

  const cues = confirmCues(connection, run.id)
  await followLog(connection, run.id)
  await cues.stop()

  const outcome = await cleanedUp(connection, run.id)
  if (outcome.status === 'COMPLETED') await showResults(connection, run.id)
  return outcome
}

type Outcome = { status: string; cleanupStatus: string; why: string | null }

/** How the run ended, once nothing of what it left in the world is still being taken back. */
async function cleanedUp(connection: Connection, runId: string): Promise<Outcome> {
  for (;;) {
    const { status, cleanupStatus, lastError, endedBecause } = Ended.parse(
      await connection.query(`query ($id: ID!) { run(id: $id) { status cleanupStatus lastError endedBecause } }`, {
        id: runId,
      }),
    ).run
    if (cleanupStatus !== 'PENDING') return { status, cleanupStatus, why: endedBecause ?? lastError }
    await sleep(LOOKING_MS)
  }
}

/** Shows what anyone may read, without a token, now that the run has published it. */
async function showResults(connection: Connection, runId: string): Promise<void> {
  const { publicResults } = Results.parse(
    await connection.queryAsAnyone(`query ($id: ID!) { publicResults(runId: $id) { rank memberKey score } }`, {
      id: runId,
    }),
  )
  if (publicResults === null) throw new Error('The run has ended and its results are not published.')
  say.line('')
  say.step('The results, as anyone may read them:')
  say.results(publicResults)
}

/** Prints every line of the run's log; resolves when the run has nothing more to say. */
async function followLog(connection: Connection, runId: string): Promise<void> {
  const batches = connection.subscribe(
    `subscription ($runId: ID!) { runLog(runId: $runId) { entries { at kind text } } }`,
    { runId },
  )
  for await (const batch of batches) {
    for (const entry of LogBatch.parse(batch).runLog.entries) say.logLine(entry)
  }
}

/** Does what the game master of this run does: reads each cue, claims it and confirms it. */
function confirmCues(connection: Connection, runId: string): { stop(): Promise<void> } {
  const events = connection.subscribe(`subscription { cues { type cue { id instruction run { id } } } }`, {})
  const working = (async () => {
    for await (const event of events) {
      const { type, cue } = CueEvent.parse(event).cues
      if (type !== 'OPENED' || cue.run.id !== runId) continue
      say.cue(cue.instruction)
      await connection.mutate(
        `mutation ($input: ClaimCueInput!) { claimCue(input: $input) { ... on Error { code message } } }`,
        { input: { id: cue.id } },
      )
      await sleep(READING_MS)
      await connection.mutate(
        `mutation ($input: ConfirmCueInput!) { confirmCue(input: $input) { ... on Error { code message } } }`,
        { input: { id: cue.id, note: 'All hands at the gate' } },
      )
      await sleep(FIGHT_MS)
      await slayBoss(connection, runId)
    }
  })()
  // Told by the run that stays parked, should it fail before anybody waits for it.
  working.catch((error: unknown) => say.failure(String(error)))
  return {
    async stop() {
      await events.return?.()
      await working
    },
  }
}

/** Does what the game server does: tells that the boss is dead, with a key so that it may say so twice. */
async function slayBoss(connection: Connection, runId: string): Promise<void> {
  const input = {
    trigger: 'shard.boss-slain',
    payload: { boss: 'Orc Lord', level: 7 },
    dedupeKey: `orc-lord of ${runId}`,
  }
  const { matchedCount } = Emitted.parse(
    await connection.mutate(
      `mutation ($input: EmitTriggerInput!) { emitTrigger(input: $input) {
        ... on EmitTriggerPayload { matchedCount } ... on Error { code message } } }`,
      { input },
    ),
  ).emitTrigger
  say.step(`The game server emitted ${input.trigger}; it opened ${matchedCount === 1 ? 'the gate' : 'nothing'}.`)
}

async function main(): Promise<number> {
  const since = Date.now()
  say.title('Cuelight: an event from start to end')
  const interrupted = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort())
  const given = AbortSignal.any([interrupted.signal, AbortSignal.timeout(LIMIT_MS)])
  const server = startDemoServer()
  try {
    const { url, token } = await server.ready(given)
    say.step(`A server on a new PostgreSQL is ready at ${url} after ${((Date.now() - since) / 1000).toFixed(1)} s.`)
    const connection = await connect({ url, token, signal: given })
    const outcome = await Promise.race([play(connection), aborted(given)])
    await connection.close()
    const seconds = ((Date.now() - since) / 1000).toFixed(1)
    say.line('')
    const { status, cleanupStatus, why } = outcome
    const said = `The run is ${status}, its cleanup ${cleanupStatus}`
    if (status === 'COMPLETED' && CLEAN.includes(cleanupStatus)) {
      say.success(`${said}; all in ${seconds} s.`)
      return 0
    }
    say.failure(`${said} after ${seconds} s${why === null ? '.' : `: ${why}`}`)
  } catch (error) {
    say.failure(error instanceof Error ? error.message : String(error))
  } finally {
    await server.stop()
  }
  return 1
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const fail = () => reject(new Error(`It was ended before the run was (${String(signal.reason)}).`))
    if (signal.aborted) fail()
    else signal.addEventListener('abort', fail, { once: true })
  })
}

process.exit(await main())
