import { setTimeout as sleep } from 'node:timers/promises'
import { askerOf } from './ask.ts'
import { EventBySlugDocument, RunStateDocument, StartEventDocument } from './documents.ts'

// Starts an event, tells what it waits for, and exits with 0 when it is completed and cleaned up:
//   CUELIGHT_TOKEN=cuelight_… npx jiti examples/client/start-and-wait.ts quiz-night "quiz of friday" '{"host":"Mira"}'
// Run again with the same request, after a lost answer or a crash, it finds the run that it started, and starts no other.

const { CUELIGHT_URL: url = 'http://127.0.0.1:4000', CUELIGHT_TOKEN: token } = process.env
const [slug, requestId, params = '{}'] = process.argv.slice(2)
if (token === undefined || slug === undefined || requestId === undefined) {
  console.error('Set CUELIGHT_TOKEN, and give the slug of an event and a name for this request.')
  process.exit(2)
}

const ask = askerOf({ url, token })
const { definition } = await ask(EventBySlugDocument, { slug })
if (definition === null) throw new Error(`There is no event "${slug}".`)

const input = { definitionId: definition.id, requestId, params: JSON.parse(params) }
const { startRun } = await ask(StartEventDocument, { input })
if (startRun.__typename !== 'StartRunPayload') throw new Error(startRun.message)
const { created, run } = startRun
console.log(`${definition.title}: ${run.id} ${created ? 'is started' : 'was started before'}.`)

let said = ''
for (;;) {
  const { run: now } = await ask(RunStateDocument, { id: run.id })
  if (now === null) throw new Error(`${run.id} is gone.`)
  const { status, cleanupStatus, endedBecause, waitingOn } = now
  const text = waitingOn?.description ?? `${status}${endedBecause === null ? '' : `: ${endedBecause}`}`
  if (text !== said) console.log(text)
  said = text
  if (waitingOn === null) process.exit(status === 'COMPLETED' && cleanupStatus !== 'INCOMPLETE' ? 0 : 1)
  await sleep(500)
}
