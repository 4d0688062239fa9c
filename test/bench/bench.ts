import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbedded } from '../../src/store/embedded.ts'
import { migrate } from '../../src/store/migrate.ts'
import { measureAnatomy } from './anatomy.ts'
import { takeApart } from './apart/apart.ts'
import { measureAtSize } from './at-size/at-size.ts'
import { CONTENDERS, inProcessOfItsOwn } from './contenders.ts'
import { measureControls } from './controls.ts'
import type { Starts } from './cuelight.ts'
import { type Effort, watchStolen } from './effort.ts'
import { measureCrowd, measureFanOut } from './fan-out.ts'
import { measureFootprint } from './footprint.ts'
import type { MaterialiseFigures } from './materialise.ts'
import { median, middleOf } from './middle.ts'
import { measureProcesses } from './processes.ts'
import { atSizeReport, type Rate, type Ratio, type Results, reportOf } from './report.ts'
import { measureSchedules } from './schedules.ts'
import { measureServer } from './server.ts'

const HERE = import.meta.dirname
const RESULTS = join(HERE, 'results.json')
const REPORT = join(HERE, 'results.md')
// `npm run bench -- 3`: everything but what takes a full database, in so many rounds. `npm run bench -- at-size 100000`:
// that, with so many runs; a million where no number is given. `npm run bench -- apart`: what stands in the way of goals.
const [what, size] = process.argv.slice(2)
const isPart = what === 'at-size' || what === 'apart'
const ROUNDS = isPart ? 0 : Number(what ?? 3)
if (!Number.isInteger(ROUNDS) || (ROUNDS < 1 && !isPart))
  throw new Error(`"${what}" is no number of rounds; say 3, at-size or apart.`)
/** What fewer rounds say is shown, and not kept. */
const ROUNDS_TO_KEEP = 3

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

const onMigrated = <T>(measure: (url: string) => Promise<T>): Promise<T> =>
  onFreshDatabase(postgres.url, async (url) => {
    await migrate(url)
    return measure(url)
  })

const MACHINE = {
  cpus: cpus().length,
  model: cpus()[0]?.model,
  memoryGiB: Math.round(totalmem() / 2 ** 30),
}

const TODAY = new Date().toISOString().slice(0, 10)

/** What the rounds of a contender come to. */
function rateOf(how: string, rounds: Effort[]): Rate {
  const middle = (of: (effort: Effort) => number) => Math.round(median(rounds.map(of)))
  return {
    how,
    perSecond: middle(({ perSecond }) => perSecond),
    rounds: rounds.map(({ perSecond }) => Math.round(perSecond)),
    node: middle(({ nodeMicros }) => nodeMicros),
    postgres: middle(({ postgresMicros }) => postgresMicros),
  }
}

const stolen = watchStolen()

/** Where it was measured, once it was. */
const place = async () => ({
  machine: MACHINE,
  measuredOn: TODAY,
  versions: await versions(),
  stolen: Number(stolen().toFixed(3)),
})

/** The versions of what is measured, as they are installed and the server says. */
async function versions(): Promise<Record<string, string>> {
  const admin = new pg.Client({ connectionString: postgres.url })
  await admin.connect()
  const { rows } = await admin.query<{ version: string }>("SELECT current_setting('server_version') AS version")
  await admin.end()
  const read = (...folder: string[]) => JSON.parse(readFileSync(join(...folder, 'package.json'), 'utf8'))
  const root = join(HERE, '../..')
  const peers = isPart ? [] : Object.keys(read(HERE).dependencies)
  return {
    'Node.js': process.versions.node,
    Cuelight: read(root).version,
    PostgreSQL: rows[0]?.version ?? '',
    Prisma: read(root, 'node_modules/@prisma/client').version,
    ...Object.fromEntries(peers.map((name) => [name, read(HERE, 'node_modules', name).version])),
  }
}

async function measureAll(): Promise<Omit<Results, 'atSize' | 'apart'>> {
  installPeers()
  const contenders = CONTENDERS.map((contender) => ({ ...contender, ...inProcessOfItsOwn(contender.name) }))
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
  const ratios = GOALS.map(([ours, theirs, goal]): Ratio => {
    const pairs = ratesOf(ours).map((rate, round) => rate / (ratesOf(theirs)[round] ?? Number.NaN))
    return {
      ours,
      theirs,
      goal,
      ratio: Number(median(pairs).toFixed(2)),
      rounds: pairs.map((pair) => Number(pair.toFixed(2))),
    }
  })
  const repeated = <T extends object>(
    name: string,
    measure: (url: string) => Promise<T>,
    by: (measured: T) => number,
  ) => {
    console.log(`${name}, ${ROUNDS} times`)
    return middleOf(ROUNDS, () => onMigrated(measure), by)
  }
  const anatomy = await onMigrated(measureAnatomy)
  const alone = async <T extends object>(name: string, by: (measured: T) => number) => {
    const { run, stop } = inProcessOfItsOwn<T>(name)
    const measured = await repeated(name, run, by)
    await stop()
    return measured
  }
  const starts = await alone<Starts>('starts', ({ p99 }) => p99)
  const materialise = await alone<MaterialiseFigures>('upcoming runs', ({ latenessMs: { making, repinning } }) =>
    Math.max(making.p99, repinning.p99),
  )
  const fanOut = await repeated('a log and its subscribers', measureFanOut, ({ ours }) => ours.p99Ms)
  const crowd = await onMigrated(measureCrowd)
  const controls = await repeated('controls', measureControls, ({ sameProcess }) => sameProcess.p99Ms)
  const stepsPerSecond: number[] = []
  for (const processes of [1, 2]) {
    const rates: number[] = []
    while (rates.length < ROUNDS) rates.push(await onMigrated((url) => measureProcesses(url, processes)))
    stepsPerSecond.push(Math.round(median(rates)))
  }
  const footprint = await onMigrated(measureFootprint)
  const server = await middleOf(ROUNDS, measureServer, ({ existingMs }) => existingMs)
  const schedules = measureSchedules()
  return {
    ...(await place()),
    rates: Object.fromEntries(contenders.map(({ name, how }) => [name, rateOf(how, efforts.get(name) ?? [])])),
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
}

async function measurePart(): Promise<Partial<Results>> {
  if (what === 'apart') return { apart: { ...(await takeApart(onMigrated)), ...(await place()) } }
  return { atSize: { ...(await measureAtSize((use) => onFreshDatabase(postgres.url, use))), ...(await place()) } }
}

const dataDir = mkdtempSync(join(tmpdir(), 'cuelight-bench-'))
const quiet = { info: () => {}, warn: console.warn, error: console.error }
const postgres = await startEmbedded({ dataDir, log: quiet })
try {
  if (what === 'at-size' && size !== undefined) {
    // What is measured on less tells nothing of the goals, and is not kept.
    const atSize = await measureAtSize((use) => onFreshDatabase(postgres.url, use), Number(size))
    console.log(`\n${atSizeReport(atSize).join('\n')}`)
  } else {
    const others: Results = JSON.parse(readFileSync(RESULTS, 'utf8'))
    const measured = isPart ? await measurePart() : await measureAll()
    const results = `${JSON.stringify({ ...others, ...measured }, null, 2)}\n`
    const isKept = isPart || ROUNDS >= ROUNDS_TO_KEEP
    if (isKept) writeFileSync(RESULTS, results)
    const report = reportOf(JSON.parse(results))
    if (isKept) writeFileSync(REPORT, report)
    console.log(`\n${report}`)
  }
} finally {
  await postgres.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
