import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { CRASH } from '../fuzz/effort.ts'
import { randomFrom } from '../model/histories.ts'
import { testDatabase } from '../support/database.ts'
import { Crew } from './crew.ts'
import { ledgerVerdict } from './ledger-verdict.ts'
import { ServerProcess } from './server-process.ts'
import { verdict } from './verdict.ts'
import { gatherEvidence, setUpWitness } from './witness.ts'
import { World } from './world.ts'

const MAX_ATTEMPTS = 4
/** So long nothing may happen before the next kill comes all the same. */
const LULL_MS = 10_000
/** How long runs may take to end after the last kill. */
const FINISH_MS = 180_000

const { url: databaseUrl } = await testDatabase()

test(`a server killed ${CRASH.kills} times does nothing twice and loses nothing (seed ${CRASH.seed})`, {
  timeout: 60_000 + FINISH_MS + CRASH.kills * 20_000,
}, async () => {
  const random = randomFrom(CRASH.seed)
  await setUpWitness(databaseUrl)
  const world = await World.open(databaseUrl, random)
  const env = { DATABASE_URL: databaseUrl, WORLD_URL: world.url, CUELIGHT_STEP_MAX_ATTEMPTS: String(MAX_ATTEMPTS) }
  let server = new ServerProcess(env)
  const crew = new Crew(() => server.url, random)
  const over = new AbortController()
  const working = crew.publishAll().then(() => crew.work(over.signal))
  working.catch(() => {})
  try {
    for (let kill = 0; kill < CRASH.kills; kill += 1) {
      // Runs end and clean up under the last kills.
      if (kill >= CRASH.kills * 0.6) crew.mischief = false
      // At times while it starts, mostly in the middle of its work, however fast the machine is.
      if (random() < 0.8) {
        await server.listening()
        await Promise.race([world.called(world.heard + 1 + random() * 40), delay(LULL_MS), working])
      }
      await Promise.race([delay(random() * 500), working])
      await server.kill()
      server = new ServerProcess(env)
    }
    crew.mischief = false
    world.stubborn = false
    await server.listening()
    const until = Date.now() + FINISH_MS
    while ((await crew.look()) !== 0 && Date.now() < until) await Promise.race([delay(100), working])
    over.abort()
    await working
    // A claim of a cancelled run lives until its action has answered.
    while ((await crew.look()) !== 0 && Date.now() < until) await delay(100)
    if ((await crew.look()) !== 0)
      expect.fail(`Runs had not ended ${FINISH_MS / 1000} s after the last kill: ${await crew.left()}`)
    await server.stop()

    const evidence = await gatherEvidence(databaseUrl)
    const { calls } = world
    const { starts, orders } = crew
    console.log(
      `${CRASH.kills} kills, ${evidence.runs.length} runs, ${calls.length} calls of ${evidence.steps.length} steps, ` +
        `${evidence.lines.filter(({ kind }) => kind === 'step.reclaimed').length} taken back, ` +
        `${world.reverts.length} reverts of ${evidence.resources.length} resources, ` +
        `${orders.filter(({ acknowledged }) => acknowledged).length} of ${orders.length} orders acknowledged`,
    )
    expect(verdict(evidence, { calls, starts, orders, maxAttempts: MAX_ATTEMPTS })).toEqual([])
    const { reverts, standing } = world
    expect(ledgerVerdict(evidence, { reverts, standing, maxAttempts: MAX_ATTEMPTS })).toEqual([])
    // Else nothing was put to the test.
    expect(starts.length).toBeGreaterThan(CRASH.kills / 2)
    expect(evidence.lines.some(({ kind }) => kind === 'step.reclaimed')).toBe(true)
    expect(reverts.length).toBeGreaterThan(0)
  } finally {
    over.abort()
    await server.kill()
    await world.close()
  }
})
