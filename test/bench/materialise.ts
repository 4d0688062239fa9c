import { setTimeout as delay } from 'node:timers/promises'
import { publishDefinition, updateDefinition } from '../../src/controls/definitions.ts'
import { startRun } from '../../src/controls/start.ts'
import type { Envelope } from '../../src/modules/module.ts'
import { readToExpand } from '../../src/store/materialise.ts'
import { type Bench, onBench, publish } from './cuelight.ts'
import { watchEffort } from './effort.ts'
import { median } from './middle.ts'
import { noteStatements } from './statements.ts'

const BENCH = { kind: 'USER', name: 'bench' } as const
const DAYS = 14
const DAY_MS = 86_400_000

/** Seconds to make the runs of that many daily definitions, and to take them along by publishing new versions. */
export type MaterialiseFigures = {
  definitions: number
  runs: number
  makeSeconds: number
  /** A pass that finds nothing to make, in milliseconds. */
  restMs: number
  repinSeconds: number
  /** How late runs started by hand were meanwhile, in milliseconds. */
  latenessMs: { making: Lateness; repinning: Lateness }
  /** The share of the machine's processors that was busy meanwhile. */
  busy: { making: number; repinning: number }
}

/**
 * `early`: how many were. `slowest`: of the latest twentieth, the median of when their statement was sent after the
 * instant, for how long it was under way then, and what passed until the call.
 */
export type Lateness = {
  p99: number
  max: number
  early: number
  slowest: { sent: number; underWay: number; called: number }
}

/** What a start that was read ahead is written by. */
const STARTING = /r\.status = 'SCHEDULED' AND r\.wake_at <= \$\d+\S*\s+AND r\.grace_until >= .*SKIP LOCKED/s

export function measureMaterialise(url: string, definitions: number): Promise<MaterialiseFigures> {
  const called = new Map<string, number>()
  const note = ({ runId }: Envelope) => called.set(runId ?? '', performance.timeOrigin + performance.now())
  return onBench(url, note, async (bench) => {
    const { control, runner } = bench
    const { prisma } = control.db
    const ids = await insertRecurring(bench, { count: definitions, rule: 'FREQ=DAILY', steps: 1 })
    const { definitionId } = await publish(control.db, 1)
    const probe = startsOf(bench, { definitionId, called })
    const runs = definitions * DAYS

    runner.start()
    const making = performance.now()
    let effort = watchEffort()
    let lateness = probe()
    // Counting runs would cost more than making them.
    while ((await prisma.definition.count({ where: { materialisedUntil: new Date(0) } })) > 0) await delay(100)
    const makeSeconds = (performance.now() - making) / 1000
    const { busy: busyMaking } = effort(runs)
    const whileMaking = await lateness()
    const made = await prisma.run.count({ where: { source: 'SCHEDULE' } })
    if (made !== runs) throw new Error(`${made} runs were made, not ${runs}.`)

    const before = Date.now() + DAYS * DAY_MS
    const began = performance.now()
    for (let round = 0; round < 100; round += 1) await readToExpand(control.db.hot, { before, limit: 50, except: [] })
    const restMs = (performance.now() - began) / 100

    // Drafts are edited before the evening on which they are published.
    await eachOf(ids, (id) => updateDefinition(control, BENCH, { id, graceSeconds: 600 }))
    const repinning = performance.now()
    effort = watchEffort()
    lateness = probe()
    await eachOf(ids, async (id) => {
      const published = await publishDefinition(control, BENCH, { id })
      if (published.error !== undefined || published.upcoming.kept !== DAYS)
        throw new Error(`Publishing ${id} answered ${JSON.stringify(published)}`)
    })
    const repinSeconds = (performance.now() - repinning) / 1000
    const { busy: busyRepinning } = effort(runs)
    const whileRepinning = await lateness()
    // A first version has its definition's id here.
    const [{ repinned } = { repinned: 0 }] = await prisma.$queryRaw<{ repinned: number }[]>`
      SELECT count(*)::int AS repinned FROM runs WHERE source = 'SCHEDULE' AND version_id <> definition_id`
    if (repinned !== runs) throw new Error(`${repinned} runs were taken along, not ${runs}.`)
    const seconds = (value: number) => Number(value.toFixed(1))
    return {
      definitions,
      runs,
      makeSeconds: seconds(makeSeconds),
      restMs: Number(restMs.toFixed(2)),
      repinSeconds: seconds(repinSeconds),
      latenessMs: { making: whileMaking, repinning: whileRepinning },
      busy: { making: Number(busyMaking.toFixed(2)), repinning: Number(busyRepinning.toFixed(2)) },
    }
  })
}

/** Twelve at a time: enough that both the server and PostgreSQL are busy. */
async function eachOf(ids: readonly string[], act: (id: string) => Promise<unknown>): Promise<void> {
  const left = [...ids]
  const worker = async () => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) await act(id)
  }
  await Promise.all(Array.from({ length: 12 }, worker))
}

/** Definitions that recur from an hour from now at the earliest, at all minutes of the day; verified, and not expanded yet. */
export async function insertRecurring(
  { control: { db } }: Bench,
  { count, rule, steps: perRun }: { count: number; rule: string; steps: number },
): Promise<string[]> {
  const { prisma } = db
  const step = { actionId: 'bench.noop', actionVersion: 1, params: {}, onFailure: 'PAUSE' }
  const each = <T>(one: T): T[] => Array.from({ length: perRun }, () => one)
  const phases = [{ key: 'one', label: 'one', steps: each(step) }]
  const first = Date.now() + 3_600_000
  const rows = Array.from({ length: count }, (_, index) => {
    const start = new Date(first + (index % 1380) * 60_000).toISOString().slice(0, 16)
    const recurring = { start, rule, exclude: [], include: [] }
    const steps = each({ actionId: 'bench.noop', params: {}, onFailure: 'PAUSE' })
    return {
      slug: `recurs-${index}`,
      spec: { schedule: { recurring }, phases },
      draft: { schedule: { recurring }, phases: [{ key: 'one', label: 'one', steps }] },
    }
  })
  const made = await prisma.$queryRaw<{ id: string }[]>`
    INSERT INTO definitions (id, slug, title, draft, created_at, updated_at)
    SELECT gen_random_uuid(), x.slug, x.slug, x.draft, now(), now()
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS x(slug text, draft jsonb) RETURNING id`
  await prisma.$executeRaw`
    INSERT INTO versions (id, definition_id, version, spec, time_zone, grace_seconds, parameters, published_at,
      published_by_kind, published_by_name, verified_at)
    SELECT d.id, d.id, 1, x.spec, 'UTC', 900, '[]', now(), 'USER', 'bench', now()
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS x(slug text, spec jsonb)
    JOIN definitions d ON d.slug = x.slug`
  await prisma.$executeRaw`
    UPDATE definitions SET state = 'READY', current_version_id = id, materialised_until = to_timestamp(0)
    WHERE slug LIKE 'recurs-%'`
  await prisma.$executeRawUnsafe('VACUUM ANALYZE definitions, versions')
  return made.map(({ id }) => id)
}

/** So long before its instant a run is asked for: what asking takes is not lateness. */
const AHEAD_MS = 3000

/** Has a run start every 50 ms until it is asked how late they were. */
function startsOf({ control }: Bench, { definitionId, called }: { definitionId: string; called: Map<string, number> }) {
  return () => {
    let stopped = false
    const instants = new Map<string, number>()
    const statements: { from: number; to: number }[] = []
    const now = () => performance.timeOrigin + performance.now()
    const unnote = noteStatements((text) => {
      if (!STARTING.test(text)) return () => {}
      const from = now()
      return () => void statements.push({ from, to: now() })
    })
    const starting = (async () => {
      while (!stopped) {
        const scheduledFor = new Date(Date.now() + AHEAD_MS)
        const started = await startRun(control, BENCH, { definitionId, scheduledFor })
        if (started.error !== undefined) throw new Error(started.message)
        instants.set(`run_${started.runId}`, scheduledFor.getTime())
        await delay(50)
      }
    })()
    return async (): Promise<Lateness> => {
      stopped = true
      const over = Date.now()
      await starting
      while ([...instants.keys()].some((id) => !called.has(id))) await delay(10)
      unnote()
      // Those that are due once the work is over have nothing beside them.
      const starts = [...instants]
        .filter(([, at]) => at <= over)
        .map(([id, at]) => ({ at, callAt: called.get(id) ?? Number.NaN }))
        .sort((a, b) => a.callAt - a.at - (b.callAt - b.at))
      const late = starts.map(({ at, callAt }) => callAt - at)
      // The answer that its call came after; a rehearsal's came before its instant.
      const latest = starts.slice(-Math.ceil(starts.length / 20))
      const parts = latest.flatMap(({ at, callAt }) => {
        const last = statements.filter(({ from, to }) => from >= at && to <= callAt).at(-1)
        return last === undefined
          ? []
          : [{ sent: last.from - at, underWay: last.to - last.from, called: callAt - last.to }]
      })
      if (parts.length === 0) throw new Error('No statement of a start was seen: STARTING fits them no more.')
      const middle = (of: keyof Lateness['slowest']) => Number(median(parts.map((part) => part[of])).toFixed(1))
      const p99 = late[Math.min(late.length - 1, Math.floor(late.length * 0.99))] ?? Number.NaN
      return {
        p99: Math.round(p99),
        max: Math.round(late.at(-1) ?? Number.NaN),
        early: late.filter((ms) => ms < 0).length,
        slowest: { sent: middle('sent'), underWay: middle('underWay'), called: middle('called') },
      }
    }
  }
}
