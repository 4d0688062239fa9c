import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbedded } from '../../src/store/embedded.ts'
import { migrate } from '../../src/store/migrate.ts'
import { measureAnatomy } from './anatomy.ts'
import { measureAtSize } from './at-size/at-size.ts'
import { CONTENDERS, inProcessOfItsOwn } from './contenders.ts'
import { measureControls } from './controls.ts'
import { measureStarts } from './cuelight.ts'
import type { Effort } from './effort.ts'
import { measureCrowd, measureFanOut } from './fan-out.ts'
import { measureFootprint } from './footprint.ts'
import { measureMaterialise } from './materialise.ts'
import { measureProcesses } from './processes.ts'
import { measureSchedules } from './schedules.ts'
import { measureServer } from './server.ts'

const HERE = import.meta.dirname
const RESULTS = join(HERE, 'results.json')
// `npm run bench -- 3`: everything but what takes a full database, in so many rounds. `npm run bench -- at-size 100000`:
// that, with so many runs; a million where no number is given.
const [what, size] = process.argv.slice(2)
const ROUNDS = Number(what ?? 3)

const median = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

function installPeers(): void {
  if (existsSync(join(HERE, 'node_modules'))) return
  const installed = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: HERE, stdio: 'inherit' })
  if (installed.status !== 0) throw new Error('The peers could not be installed: run npm ci in test/bench and see why.')
}

const GOALS: [ours: string, theirs: string, goal: number][] = [
  ['Cuelight, 1 step', 'graphile-worker, default', 4],
  ['Cuelight, 1 step', 'graphile-worker, local queue and batches', 0.5],
  ['Cuelight, 1 step', 'pg-boss, 1 job a fetch', 10],
  ['Cuelight, 1 step', 'pg-boss, 100 jobs a fetch', 1],
  ['Cuelight, 5 steps', 'DBOS queue, 5 steps', 12],
  ['Cuelight, 5 steps', 'the plain design through Prisma, 5 steps', 40],
  ['Cuelight, 5 steps', 'Cuelight through pg alone, 5 steps', 0.9],
]

async function onFreshDatabase<T>(server: string, measure: (url: string) => Promise<T>): Promise<T> {
  const name = `bench_${Math.random().toString(36).slice(2)}`
  const admin = new pg.Client({ connectionString: server })
  await admin.connect()
  try {
    await admin.query(`CREATE DATABASE ${name}`)
    await admin.query('CHECKPOINT')
    const url = new URL(server)
    url.pathname = `/${name}`
    return await measure(url.href)
  } finally {
    // Where a peer leaves a session open, its database stays until the server is thrown away: to be cut off ends the peer.
    await admin.query(`DROP DATABASE IF EXISTS ${name}`).catch(() => {})
    await admin.end()
  }
}

const MACHINE = {
  node: process.version,
  cpus: cpus().length,
  model: cpus()[0]?.model,
  memoryGiB: Math.round(totalmem() / 2 ** 30),
}

async function measureAll(): Promise<object> {
  installPeers()
  const contenders = CONTENDERS.map(({ name, ...how }) => ({ name, ...how, ...inProcessOfItsOwn(name) }))
  const efforts = new Map<string, Effort[]>(contenders.map(({ name }) => [name, []]))
  // The first round, in which code is compiled, is not counted.
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const { name, unit, migrated, run } of contenders) {
      const effort = await onFreshDatabase(postgres.url, async (url) => {
        if (migrated) await migrate(url)
        return run(url)
      })
      if (round > 0) efforts.get(name)?.push(effort)
      const { perSecond, nodeMicros, postgresMicros } = effort
      console.log(
        `${round}/${ROUNDS}  ${name.padEnd(45)} ${Math.round(perSecond).toLocaleString('en').padStart(9)} ${unit}/s; processors ${Math.round(nodeMicros)} + ${Math.round(postgresMicros)} µs each${round === 0 ? ', not counted' : ''}`,
      )
    }
  }
  for (const { stop } of contenders) await stop()
  const ratesOf = (name: string) => (efforts.get(name) ?? []).map(({ perSecond }) => perSecond)
  const ratios = GOALS.map(([ours, theirs, goal]) => {
    const pairs = ratesOf(ours).map((rate, round) => rate / (ratesOf(theirs)[round] ?? Number.NaN))
    return {
      ours,
      theirs,
      goal,
      ratio: Number(median(pairs).toFixed(2)),
      rounds: pairs.map((pair) => Number(pair.toFixed(2))),
    }
  })
  const anatomy = await onFreshDatabase(postgres.url, async (url) => {
    await migrate(url)
    return measureAnatomy(url)
  })
  const starts = await onFreshDatabase(postgres.url, async (url) => {
    await migrate(url)
    return measureStarts(url, 300)
  })
  const materialise = await onFreshDatabase(postgres.url, async (url) => {
    await migrate(url)
    return measureMaterialise(url, 10_000)
  })
  const fanOut = await onFreshDatabase(postgres.url, async (url) => {
    await migrate(url)
    return measureFanOut(url)
  })
  const crowd = await onFreshDatabase(postgres.url, async (url) => {
    await migrate(url)
    return measureCrowd(url)
  })
  const controls = await onFreshDatabase(postgres.url, async (url) => {
    await migrate(url)
    return measureControls(url)
  })
  const stepsPerSecond: number[] = []
  for (const processes of [1, 2]) {
    const rate = await onFreshDatabase(postgres.url, async (url) => {
      await migrate(url)
      return measureProcesses(url, processes)
    })
    stepsPerSecond.push(Math.round(rate))
  }
  const footprint = await onFreshDatabase(postgres.url, async (url) => {
    await migrate(url)
    return measureFootprint(url)
  })
  const server = await measureServer()
  const schedules = measureSchedules()
  const results = {
    machine: MACHINE,
    rates: Object.fromEntries([...efforts.keys()].map((name) => [name, Math.round(median(ratesOf(name)))])),
    micros: Object.fromEntries(
      [...efforts].map(([name, each]) => [
        name,
        {
          node: Math.round(median(each.map(({ nodeMicros }) => nodeMicros))),
          postgres: Math.round(median(each.map(({ postgresMicros }) => postgresMicros))),
        },
      ]),
    ),
    ratios,
    anatomy,
    starts,
    server,
    schedules,
    materialise,
    fanOut,
    crowd,
    controls,
    stepsPerSecond,
    footprint,
  }
  console.log()
  for (const { ours, theirs, ratio, goal } of ratios) console.log(`${ours} / ${theirs}: ${ratio} (goal ${goal})`)
  console.log(
    `a start, one of 192 in a statement: ${anatomy.start} µs of PostgreSQL's processor; reading what is sent of the run and looking it up ${anatomy.reading}, 3 lines of log ${anatomy.lines}, the step ${anatomy.step}, five indexes of the run ${anatomy.indexes}, the rest ${anatomy.rest}`,
  )
  console.log(
    `instant to first dispatch: ${starts.p50} ms median, ${starts.p99} ms 99th percentile, ${starts.early} early (goal 2, 10, 0); a bare commit meanwhile: ${starts.commit.p50} and ${starts.commit.p99} ms`,
  )
  console.log(
    `server ready: ${server.newMs} ms new (goal 3000), ${server.existingMs} ms existing (goal 1500); idle ${server.idleMiB} MiB (goal 150)`,
  )
  for (const [data, { rules, definitions, passMs }] of Object.entries(schedules)) {
    const each = Object.entries(rules).map(([rule, microseconds]) => `${rule} ${microseconds} µs`)
    console.log(
      `14 days of schedules, zone data of ${data}: ${each.join(', ')}; ${definitions} definitions ${passMs} ms (goal 150)`,
    )
  }
  const { runs, makeSeconds, repinSeconds, restMs, latenessMs } = materialise
  console.log(
    `${runs} upcoming runs: made in ${makeSeconds} s (goal 60), taken along into new versions in ${repinSeconds} s (goal 60); a pass with nothing to do ${restMs} ms; starts meanwhile ${latenessMs.making} and ${latenessMs.repinning} ms late (99th percentile), ${latenessMs.early} early`,
  )
  console.log(
    `one run log at ${fanOut.linesPerSecond} lines/s to ${fanOut.readers} subscribers: ${fanOut.p50Ms} ms median, ${fanOut.p99Ms} ms 99th percentile (goal 20; a bare broadcast's frame alone ${fanOut.broadcastP99Ms}); CPU of a frame ${fanOut.cpuRatio} times a bare broadcast's (goal 1.5); lines/s ${fanOut.yogaRatio} times those of graphql-yoga's pub/sub (goal 30)`,
  )
  console.log(
    `one run log at ${crowd.linesPerSecond} lines/s to ${crowd.readers} subscribers: ${crowd.p50Ms} ms median, ${crowd.p99Ms} ms 99th percentile; ${crowd.cpuShare} of a core, ${crowd.kibPerReader} KiB a subscriber`,
  )
  const { sameProcess, otherProcess } = controls
  console.log(
    `a control to its log line at a subscriber: in the same process ${sameProcess.p50Ms} ms median, ${sameProcess.p99Ms} ms 99th percentile (goal 20); in another ${otherProcess.p50Ms} and ${otherProcess.p99Ms} ms (goal 60)`,
  )
  console.log(`steps/s of one whole server, and of two on one database: ${stepsPerSecond.join(', ')}`)
  console.log(
    `a run of 5 steps: ${footprint.bytes} bytes in the database, ${footprint.logBytes} of them ${footprint.lines} lines of log; ${footprint.walBytes} bytes of write-ahead log and ${footprint.commits} commits`,
  )
  return results
}

const dataDir = mkdtempSync(join(tmpdir(), 'cuelight-bench-'))
const quiet = { info: () => {}, warn: console.warn, error: console.error }
const postgres = await startEmbedded({ dataDir, log: quiet })
try {
  const asked = size === undefined ? undefined : Number(size)
  const results =
    what === 'at-size'
      ? { atSize: { machine: MACHINE, ...(await measureAtSize((use) => onFreshDatabase(postgres.url, use), asked)) } }
      : await measureAll()
  // What was measured on less tells nothing of the goals.
  if (asked === undefined) {
    const others = JSON.parse(readFileSync(RESULTS, 'utf8'))
    writeFileSync(RESULTS, `${JSON.stringify({ ...others, ...results }, null, 2)}\n`)
  }
} finally {
  await postgres.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
