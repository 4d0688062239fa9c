import { expect, test } from 'vitest'
import { formatId } from '../../src/domain/ids.ts'
import { appendLines, insertEvent, insertRun, insertStep, parkedSince } from '../graphql/fixtures.ts'
import { randomFrom } from '../model/histories.ts'
import { testDatabase } from '../support/database.ts'
import { brokenDocument, randomDocument } from './documents.ts'
import { FUZZ } from './effort.ts'
import { FuzzedServer } from './fuzzed-server.ts'
import { Chance, hostileText, hostileValue } from './hostile.ts'

const { url: databaseUrl, db } = await testDatabase()

/** Things of every kind that documents may name. */
async function somethingThere(): Promise<string[]> {
  const event = await insertEvent(db)
  // In the future, so that no runner changes it.
  const at = new Date(Date.now() + 86_400_000)
  const runId = await insertRun(db, event, { at })
  const paused = await insertRun(db, event, {
    at: new Date(at.getTime() + 1),
    status: 'PAUSED',
    currentPhase: 'main',
    phaseIndex: 0,
  })
  const stepId = await insertStep(db, paused, parkedSince(new Date()))
  await appendLines(db, paused, ['one', 'two', 'three'])
  return [
    event.id,
    formatId('Version', event.versionId),
    formatId('Run', runId),
    formatId('Run', paused),
    formatId('Step', stepId),
    formatId('Cue', stepId),
  ]
}

test(`${FUZZ.documents} random documents are answered, or refused with a sentence (seed ${FUZZ.seed})`, {
  timeout: 60_000 + FUZZ.documents * 500,
}, async () => {
  const server = await FuzzedServer.start(databaseUrl)
  const known = await somethingThere()
  const counts = { answered: 0, refused: 0 }
  for (let index = 0; index < FUZZ.documents; index += 1) {
    const seed = FUZZ.seed + index
    const chance = new Chance(randomFrom(seed))
    const document = randomDocument(chance, known)
    const kind = chance.below(10)
    const query = kind < 6 ? document : brokenDocument(chance, document)
    const body =
      kind === 9
        ? JSON.stringify({ [hostileText(chance)]: hostileValue(chance), query: hostileValue(chance) })
        : JSON.stringify({ query, variables: kind === 8 ? hostileValue(chance) : {} })
    const { data } = await server.send(body, `seed ${seed}`)
    if (data === null) counts.refused += 1
    else counts.answered += 1
  }
  await server.expectWell()
  // Else one of the two was not put to the test.
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(FUZZ.documents / 10)
})
