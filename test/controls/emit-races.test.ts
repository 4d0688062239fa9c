import { beforeEach, expect, test } from 'vitest'
import { advancePhase, cancelRun, pauseRun, resumeRun } from '../../src/controls/runs.ts'
import { MIRA, newStage, type Stage, type StagePhase } from '../support/stage.ts'

let stage: Stage
beforeEach(async () => {
  stage = await newStage()
})

const ROUNDS = 6

const waiting = (count: number): StagePhase[] => [
  { key: 'fight', steps: [{ key: 'spawn' }], advance: { trigger: { on: 'test.slain', count } } },
  { key: 'loot', steps: [{ key: 'chest' }] },
]

type Emissions = Awaited<ReturnType<Stage['emit']>>[]
const times = (count: number, what: () => Promise<unknown>) => Array.from({ length: count }, what)
const emits = (count: number) => times(count, () => stage.emit()) as Promise<Emissions[number]>[]

/** What has to be so whatever came first: tally, lines and answers agree, and the gate opened once at most. */
async function consistent(runId: string, emissions: Emissions, gateIndex = 0) {
  const run = await stage.run(runId)
  const log = await stage.log(runId)
  const gate = run.gates.find(({ phaseIndex }) => phaseIndex === gateIndex)
  const met = emissions.flatMap(({ matched }) => matched).filter((one) => one.runId === runId)
  const evaluated = log.filter(({ kind }) => kind === 'condition.evaluated')
  expect(log.map(({ line }) => line)).toEqual(log.map((_, index) => index + 1))
  expect(run.lastLine).toBe(log.length)
  expect(met).toHaveLength(evaluated.length)
  const tallies = evaluated.map(({ detail }) => (detail as { tally: number }).tally)
  expect(tallies).toEqual(tallies.map((_, index) => index + 1))
  expect(gate?.tally).toBe(evaluated.length)
  expect(met.map(({ tally }) => tally).toSorted((a, b) => a - b)).toEqual(tallies)
  const openers = met.filter(({ opened }) => opened)
  expect(openers).toHaveLength(gate?.openedBy === 'TRIGGER' ? 1 : 0)
  if (gate?.openedBy === 'TRIGGER') expect(gate.tally).toBe(gate.needed)
  expect(log.filter(({ kind }) => kind === 'phase.advanced').length).toBeLessThanOrEqual(1)
  return { run, log, gate }
}

test.each([100, 37, 1])(
  'of a hundred triggers at once a gate that needs %i counts just those, and opens once',
  async (count) => {
    const runId = await stage.play(waiting(count))
    const emissions = await Promise.all(emits(100))
    await stage.settle()
    const { run, gate } = await consistent(runId, emissions)
    expect(gate).toMatchObject({ tally: count, needed: count, openedBy: 'TRIGGER' })
    expect(run.status).toBe('COMPLETED')
    expect(emissions.filter(({ matchedCount }) => matchedCount === 1)).toHaveLength(count)
  },
)

test('triggers and a person who forces the gate: one of them opens it, and the run goes on once', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const runId = await stage.play(waiting(3))
    const early = emits(2)
    const forced = advancePhase(stage.ctx, MIRA, { runId, phase: 'fight', reason: 'enough' })
    const emissions = await Promise.all([...early, ...emits(3)])
    await forced
    await stage.settle()
    const { run, log, gate } = await consistent(runId, emissions)
    expect(run.status).toBe('COMPLETED')
    const advanced = log.filter(({ kind }) => kind === 'phase.advanced')
    expect(advanced).toMatchObject([{ detail: { because: gate?.openedBy } }])
    expect((await forced).error).toBe(gate?.openedBy === 'FORCED' ? undefined : 'CONFLICT')
  }
})

test('triggers, a pause and a resume: whatever comes first, all are counted and the run ends', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const runId = await stage.play(waiting(6))
    const emissions = Promise.all(emits(3))
    const paused = pauseRun(stage.ctx, MIRA, { runId })
    const more = Promise.all(emits(3))
    await paused
    const resumed = resumeRun(stage.ctx, MIRA, { runId })
    const all = [...(await emissions), ...(await more)]
    await resumed
    await stage.settle()
    const { run, gate } = await consistent(runId, all)
    expect(gate).toMatchObject({ tally: 6, openedBy: 'TRIGGER' })
    expect(run.status).toBe('COMPLETED')
  }
})

test('triggers and a cancellation: nothing is counted after the end', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const runId = await stage.play(waiting(9))
    const early = emits(2)
    const cancelled = cancelRun(stage.ctx, MIRA, { runId })
    const emissions = await Promise.all([...early, ...emits(3)])
    await cancelled
    const { run, log } = await consistent(runId, emissions)
    expect(run.status).toBe('CANCELLED')
    expect(log.at(-1)?.kind).toBe('run.control')
  }
})

test('triggers while the phase before ends count from when their phase is entered, for its gate alone', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const key = `spawn ${round}`
    const spawn = stage.script.hang(key)
    const { definitionId } = await stage.publish([
      { key: 'before', steps: [{ key }] },
      { key: 'fight', steps: [], advance: { trigger: { on: 'test.slain', count: 5 } } },
    ])
    const runId = await stage.start(definitionId)
    await spawn.called
    const early = emits(2)
    spawn.answer({ ok: true })
    const emissions = await Promise.all([...early, ...emits(4)])
    await stage.settle()
    const { log, gate } = await consistent(runId, emissions, 1)
    const entered = log.findIndex(({ kind, phase }) => kind === 'phase.entered' && phase === 'fight')
    const first = log.findIndex(({ kind }) => kind === 'condition.evaluated')
    expect(first === -1 || first > entered).toBe(true)
    await Promise.all(emits(5 - (gate?.tally ?? 0)))
    await stage.until(runId, 'COMPLETED')
  }
})

test('triggers while the runner settles one step after the other: no tally is undone, and every step is called once', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const steps = Array.from({ length: 8 }, (_, seq) => ({ key: `${round}/${seq}` }))
    const { definitionId } = await stage.publish([
      { key: 'fight', steps, advance: { trigger: { on: 'test.slain', count: 10 } } },
    ])
    const runId = await stage.start(definitionId)
    const emissions: Emissions = []
    while (((await stage.run(runId)).gates[0]?.openedAt ?? null) === null)
      emissions.push(...(await Promise.all(emits(3))))
    await stage.until(runId, 'COMPLETED')
    await consistent(runId, emissions)
    const called = stage.script.keys().filter((key) => key.startsWith(`${round}/`))
    expect(called).toEqual(steps.map(({ key }) => key))
  }
})

test('two triggers for many runs at once, with controls between: nobody waits for the other for ever', async () => {
  const { definitionId } = await stage.publish(waiting(2))
  const runIds: string[] = []
  for (let scope = 0; scope < 60; scope += 1) runIds.push(await stage.start(definitionId, { scope: `${scope}` }))
  await stage.settle()
  const controls = runIds
    .slice(0, 20)
    .flatMap((runId) => [
      pauseRun(stage.ctx, MIRA, { runId }),
      advancePhase(stage.ctx, MIRA, { runId, phase: 'fight', reason: 'enough' }),
      resumeRun(stage.ctx, MIRA, { runId }),
    ])
  const emissions = await Promise.all(emits(4))
  await Promise.all(controls)
  for (const runId of runIds) await resumeRun(stage.ctx, MIRA, { runId })
  await stage.settle()
  for (const runId of runIds) expect((await consistent(runId, emissions)).run.status).toBe('COMPLETED')
}, 60_000)

test('emissions that wait leave connections to the rest of the API', async () => {
  const runId = await stage.play(waiting(40))
  const { prisma } = stage.db
  const waitingOnes = await prisma.$transaction(
    async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM runs WHERE id = ${runId}::uuid FOR UPDATE`
      const emissions = emits(40)
      // As many requests as there are connections besides, each of which would wait for ever.
      for (let request = 0; request < 20; request += 1) {
        expect(await prisma.gate.count({ where: { runId } })).toBe(1)
        // A transaction that says nothing for 5 s is ended.
        await tx.$queryRaw`SELECT 1`
      }
      return { emissions }
    },
    { timeout: 30_000 },
  )
  const emissions = await Promise.all(waitingOnes.emissions)
  await stage.until(runId, 'COMPLETED')
  await consistent(runId, emissions)
})
