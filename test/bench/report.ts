import type { Anatomy } from './anatomy.ts'
import type { Apart } from './apart/figures.ts'
import { apartReport } from './apart/report.ts'
import type { AtSize } from './at-size/at-size.ts'
import type { Figures } from './at-size/watch.ts'
import type { Controls } from './controls.ts'
import type { Starts } from './cuelight.ts'
import type { FanOut, Spread } from './fan-out.ts'
import type { Footprint } from './footprint.ts'
import type { MaterialiseFigures } from './materialise.ts'
import type { Middle } from './middle.ts'
import type { ScheduleFigures } from './schedules.ts'
import type { ServerFigures } from './server.ts'
import { count, table } from './tables.ts'

type Machine = { cpus: number; model: string | undefined; memoryGiB: number }

/** Where and when something was measured. */
type Place = {
  machine: Machine
  /** A date, in UTC. */
  measuredOn: string
  /** Of Node.js, Cuelight, PostgreSQL and the peers. */
  versions: Record<string, string>
  /** The share of the processors' time that other guests of the machine took; null where that is not known. */
  stolen: number | null
}

/** How one rate compares with another: the median of the rounds, in each of which both were measured. */
export type Ratio = { ours: string; theirs: string; goal: number; ratio: number; rounds: number[] }

/** Units a second, the median of the rounds, and microseconds of the processors for each. `how`: see `Contender`. */
export type Rate = { how: string; perSecond: number; rounds: number[]; node: number; postgres: number }

/** All that the bench measured, as `results.json` keeps it. */
export type Results = Place & {
  /** By contender. */
  rates: Record<string, Rate>
  ratios: Ratio[]
  anatomy: Anatomy
  starts: Middle<Starts>
  server: Middle<ServerFigures>
  schedules: Record<string, ScheduleFigures>
  materialise: Middle<MaterialiseFigures>
  fanOut: Middle<FanOut>
  crowd: Spread
  controls: Middle<Controls>
  /** Of one whole server, and of two. */
  stepsPerSecond: number[]
  footprint: Footprint
  atSize: AtSize & Place
  apart: Apart & Place
}

/** What is held against the dashboard's goal, a 99th percentile of 30 ms, and no scan of a large table. */
const DASHBOARD = [
  "the console's first page",
  'runs, first page',
  'a run of 200 steps',
  'calendar, a month of a usual definition',
  'calendar, a month of a busy definition',
  'calendar, a month ahead of a usual definition',
]
const LARGE = new Set(['runs', 'steps', 'run_log'])

/** `rounds`: what was measured each time, where it was more than once. */
type Row = { what: string; goal: string; measured: string; rounds?: readonly number[]; isMet: boolean }

const atLeast = (what: string, measured: number, goal: number): Row => ({
  what,
  goal: `≥ ${goal}`,
  measured: String(measured),
  isMet: measured >= goal,
})

const atMost = (what: string, measured: number, goal: number, unit: string): Row => ({
  what,
  goal: `≤ ${count(goal)} ${unit}`,
  measured: `${measured} ${unit}`,
  isMet: measured <= goal,
})

/** What there is a goal for, in the order of what matters most. */
function goalsOf(results: Results): Row[] {
  const { ratios, starts, controls, materialise, fanOut, schedules, server } = results
  const { making, repinning } = materialise.latenessMs
  const [first, ...others] = results.atSize.growth
  const { besideWriting, writtenMeanwhile, rounds } = results.atSize.retention
  return [
    ...ratios.map(({ ours, theirs, goal, ratio, rounds }) => ({
      ...atLeast(`${ours} / ${theirs}`, ratio, goal),
      rounds,
    })),
    atMost('the instant of a start to the call of its first action, median', starts.p50, 2, 'ms'),
    { ...atMost('the same, 99th percentile', starts.p99, 10, 'ms'), rounds: starts.rounds },
    atMost(`starts before their instant, of ${starts.count}`, starts.early, 0, 'of them'),
    {
      ...atMost('a control to its line at a subscriber, 99th percentile', controls.sameProcess.p99Ms, 20, 'ms'),
      rounds: controls.rounds,
    },
    atMost('the same, a subscriber of another process', controls.otherProcess.p99Ms, 60, 'ms'),
    atMost(`${count(materialise.runs)} upcoming runs made from nothing`, materialise.makeSeconds, 60, 's'),
    atMost('the same taken along by new versions', materialise.repinSeconds, 60, 's'),
    {
      ...atMost('starts meanwhile, 99th percentile of the worse', Math.max(making.p99, repinning.p99), 10, 'ms'),
      rounds: materialise.rounds,
    },
    atMost('the same, before their instant', making.early + repinning.early, 0, 'of them'),
    {
      ...atMost(
        `a log at ${count(fanOut.linesPerSecond)} lines/s to ${count(fanOut.readers)} subscribers after the first second, 99th percentile of ten of them`,
        fanOut.ours.p99Ms,
        20,
        'ms',
      ),
      rounds: fanOut.rounds,
    },
    atMost('the same, CPU of a frame to that of a bare broadcast', fanOut.cpuRatio, 1.5, 'times'),
    atLeast("the same, lines/s to those of graphql-yoga's own pub/sub", fanOut.yogaRatio, 30),
    ...Object.entries(schedules).map(([data, { definitions, passMs }]) =>
      atMost(`${count(definitions)} schedules expanded over 14 days, zone data of ${data}`, passMs, 150, 'ms'),
    ),
    ...DASHBOARD.map((name) =>
      atMost(`${name}, 99th percentile`, results.atSize.dashboard[name]?.p99 ?? Number.NaN, 30, 'ms'),
    ),
    atMost(
      'of these: scans of runs, steps or the log',
      DASHBOARD.flatMap((name) => results.atSize.dashboard[name]?.scanned ?? []).filter((table) => LARGE.has(table))
        .length,
      0,
      'of them',
    ),
    ...others.map(({ waiting, share, rounds }) => ({
      what: `steps/s with ${count(waiting)} runs waiting, to those with ${first?.waiting}`,
      goal: '0.9 to 1.1',
      measured: String(share),
      rounds: rounds.map((rate, round) => Number((rate / (first?.rounds[round] ?? Number.NaN)).toFixed(3))),
      isMet: share >= 0.9 && share <= 1.1,
    })),
    {
      ...atLeast(
        'log lines deleted beside writing, to those that are written meanwhile',
        Number((besideWriting / writtenMeanwhile).toFixed(1)),
        10,
      ),
      rounds,
    },
    {
      ...atMost('start to ready, on a data folder that is there', server.existingMs, 1500, 'ms'),
      rounds: server.rounds,
    },
    atMost('the same, on a new one', server.newMs, 3000, 'ms'),
    atMost('memory of an idle process', server.idleMB, 150, 'MB'),
  ]
}

/** A log to its subscribers, beside the least that it could cost. */
function fanOutReport(spreads: Spread[]): string[] {
  return [
    '## One log to many subscribers',
    '',
    'Of ten of them, after the first second: what they waited for a line from its commit, for a frame of a bare broadcast from when it was sent; each frame as large as the other, to as many, while as much is written. What the process grew by until all had subscribed is divided among them, so that 1,000 bear more of what it grows by once.',
    '',
    ...table(
      ['what', ' median, ms', ' 99th percentile, ms', ' of a core', ' KiB grown by for each', ' MiB in all'],
      spreads.flatMap(({ readers, linesPerSecond, linesPerFrame, ours, broadcast }) => {
        const load = `${count(linesPerSecond)} lines/s, ${linesPerFrame} in a frame, to ${count(readers)}`
        return Object.entries({ [load]: ours, 'the same by a bare broadcast': broadcast }).map(([what, reached]) => [
          what,
          reached.p50Ms,
          reached.p99Ms,
          reached.cpuShare,
          reached.kibPerReader,
          reached.residentMiB,
        ])
      }),
    ),
    '',
  ]
}

/** What was measured in a full database, and beside many runs that wait. */
export function atSizeReport({ filled, growth, inFilled, retention, dashboard, endpoints, runner }: AtSize): string[] {
  const figures: [string, Figures][] = [dashboard, endpoints, runner].flatMap(Object.entries)
  const { alone, besideWriting, writtenMeanwhile, writtenAlone } = retention
  return [
    `## With ${count(filled.runs)} runs and ${count(filled.lines)} lines of log`,
    '',
    'Asked 200 times each, or for half a minute, after 50 times that are not counted. Rates are of few runs, so that beginning takes its share of them.',
    '',
    ...table(
      ['what', ' a second'],
      [
        ...growth.map(({ waiting, stepsPerSecond, rounds }) => [
          `steps of a runner alone with ${count(waiting)} runs waiting, of ${rounds.length} rounds`,
          count(stepsPerSecond),
        ]),
        ['the same in the full database', count(inFilled)],
        ['lines of log deleted', count(alone)],
        ['the same beside runs that are worked off', count(besideWriting)],
        ['lines that those write meanwhile, and alone', `${count(writtenMeanwhile)}, ${count(writtenAlone)}`],
      ],
    ),
    '',
    ...table(
      [
        'what',
        ' times',
        ' median, ms',
        ' 99th percentile, ms',
        ' of those without a collection of garbage, ms',
        ' they are, %',
        ' statements',
        ' in turns at most',
        ' under way, median, ms',
        ' rows read',
        'tables read from end to end',
      ],
      figures.map(([name, { calls, p50, p99, undisturbed, statements, turns, databaseMs, rowsRead, scanned }]) => [
        name,
        calls,
        p50,
        p99,
        undisturbed.p99 ?? '',
        Math.round(undisturbed.share * 100),
        statements,
        turns,
        databaseMs,
        rowsRead,
        scanned.join(', '),
      ]),
    ),
    '',
  ]
}

/** When something was measured, where, and of what. */
function placeOf({ machine, measuredOn, versions, stolen }: Place): string {
  const named = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  const taken = stolen === null ? '' : `, of whose time other guests took ${(stolen * 100).toFixed(1)} %`
  return `on ${measuredOn}: ${machine.cpus} processors (${machine.model})${taken}, ${machine.memoryGiB} GiB; ${named.join(', ')}`
}

/** A table for people of what is in `results.json`. */
export function reportOf(results: Results): string {
  const { rates, anatomy, fanOut, crowd, controls, materialise, stepsPerSecond, footprint, atSize, apart, starts } =
    results
  const { making, repinning } = materialise.latenessMs
  const goals = goalsOf(results)
  return [
    '# What the bench measured',
    '',
    `By \`npm run bench\` ${placeOf(results)}.`,
    '',
    `By \`npm run bench -- at-size\` ${placeOf(atSize)}.`,
    '',
    `By \`npm run bench -- apart\` ${placeOf(apart)}.`,
    '',
    'PostgreSQL is the embedded one, with fsync on. Rates and ratios are medians of rounds. Of starts, controls, a log to 1,000 subscribers, upcoming runs and retention, measured as many times each, the one whose 99th percentile, or ratio, is in the middle is shown, of starts to ready the one on a folder that is there, each with all that was measured with it. What has no rounds beside it was measured once, but for what the latest starts wait for and the processors beside them: medians of the rounds, each for itself. What stands in the way of the goals that are missed: [How far it goes](../../docs/scaling.md#what-stands-in-the-way).',
    '',
    `## Goals: ${goals.filter(({ isMet }) => isMet).length} of ${goals.length} are met`,
    '',
    ...table(
      ['what', ' goal', ' measured', ' in each round', 'met'],
      goals.map(({ what, goal, measured, rounds = [], isMet }) => [
        what,
        goal,
        measured,
        rounds.join('; '),
        isMet ? 'yes' : 'no',
      ]),
    ),
    '',
    '## Rates',
    '',
    'In turn on one PostgreSQL, each in a process and on a database of its own, after a round that is not counted; medians, and what a unit took of the processors.',
    '',
    ...table(
      ['what', ' a second', ' in each round', ' µs of Node.js', ' µs of PostgreSQL', 'how'],
      Object.entries(rates).map(([name, { how, perSecond, rounds, node, postgres }]) => [
        name,
        count(perSecond),
        rounds.map(count).join('; '),
        node,
        postgres,
        how,
      ]),
    ),
    '',
    'A ratio compares rates of the same round, and is the median of the rounds.',
    '',
    '## What else was measured',
    '',
    ...table(
      ['what', ' measured'],
      [
        ['a start, one of 192 in a statement', `${anatomy.start} µs of PostgreSQL`],
        ['of it: reading what is sent of the run, and looking it up', `${anatomy.reading} µs`],
        ['of it: 3 lines of log', `${anatomy.lines} µs`],
        ["of it: the step's row", `${anatomy.step} µs`],
        ['of it: five indexes of the run', `${anatomy.indexes} µs`],
        ['of it: the rest', `${anatomy.rest} µs`],
        ['a bare commit beside starts, median and 99th percentile', `${starts.commit.p50} and ${starts.commit.p99} ms`],
        [
          'starts while upcoming runs are made, and taken along, 99th percentile and the latest',
          `${making.p99} and ${making.max} ms; ${repinning.p99} and ${repinning.max} ms`,
        ],
        [
          'a control to its line at a subscriber, in the same process and in another, median',
          `${controls.sameProcess.p50Ms} and ${controls.otherProcess.p50Ms} ms`,
        ],
        [
          'steps of one whole server, and of two on one database',
          `${stepsPerSecond.map(count).join(' and ')} a second`,
        ],
        ['a run of 5 steps in the database', `${count(footprint.bytes)} bytes`],
        [`of it: ${footprint.lines} lines of log`, `${count(footprint.logBytes)} bytes`],
        ['write-ahead log until it is over', `${count(footprint.walBytes)} bytes`],
        ['commits for it, of many at once', footprint.commits],
        [
          `a log to ${count(fanOut.readers)} subscribers, in its first second, in which code is compiled, 99th percentile`,
          `${fanOut.firstSecondP99Ms} ms`,
        ],
      ],
    ),
    '',
    ...fanOutReport([fanOut, crowd]),
    ...atSizeReport(atSize),
    ...apartReport(apart),
  ].join('\n')
}
