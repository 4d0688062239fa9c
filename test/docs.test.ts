import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { getVariableValues, Kind, parse, specifiedRules, validate } from 'graphql'
import { describe, expect, test } from 'vitest'
import { schema } from '../src/graphql/schema.ts'
import { readConfig } from '../src/server/config.ts'
import { POOL_SIZES } from '../src/store/database.ts'
import { type Results, reportOf } from './bench/report.ts'

// What the documents say is held against the code.

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const FILES = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join('docs', file)),
].map((file) => ({ file, text: read(file) }))
const ALL = FILES.map(({ text }) => text).join('\n')

const unique = (found: Iterable<string | undefined>) => [...new Set(found)].filter((name) => name !== undefined).sort()
const named = (pattern: RegExp, text = ALL) => unique([...text.matchAll(pattern)].map(([, name]) => name))

describe('settings', () => {
  const setting = /\b((?:CUELIGHT|LOG)_[A-Z_]*[A-Z])\b(?!_)/g
  const inCode = named(
    /\b((?:CUELIGHT|LOG)_[A-Z_]*[A-Z]|HOST|PORT|DATABASE_URL)(?=[':])/g,
    read('src/server/config.ts'),
  )
  const ofClients = named(/\benv\.(CUELIGHT_[A-Z_]+)/g, read('src/cli/config.ts'))
  test('that the documents name are read by the code', () => {
    const inDocuments = named(setting)
    expect(inDocuments.length).toBeGreaterThan(15)
    expect(inDocuments.filter((name) => !inCode.includes(name) && !ofClients.includes(name))).toEqual([])
  })

  test('of the client commands are explained with them', () => {
    expect(ofClients.length).toBe(2)
    expect(ofClients.filter((name) => !read('docs/command-line.md').includes(`\`${name}\``))).toEqual([])
  })

  test('that the code reads are explained where settings are', () => {
    const explained = read('docs/running.md') + read('CONTRIBUTING.md')
    const isExplained = (name: string) =>
      explained.includes(`\`${name}\``) || named(/`([A-Z_]+_)…`/g, explained).some((prefix) => name.startsWith(prefix))
    expect(inCode.length).toBeGreaterThan(20)
    expect(inCode.filter((name) => !isExplained(name))).toEqual([])
  })

  test('of OpenTelemetry are those that the code reads', () => {
    const used = named(/'(OTEL_[A-Z_]+)'/g, read('src/server/trace-settings.ts'))
    expect(used.length).toBeGreaterThan(8)
    expect(named(/`(OTEL_[A-Z_]+)`(?=[^|\n]* \|[^|\n]*\|[^|\n]*\|$)/gm, read('docs/watching.md'))).toEqual(used)
  })

  test('have the defaults that their table says', () => {
    const config = readConfig({})
    if (!config.ok) throw new Error(config.problems.join('\n'))
    const defaults = Object.fromEntries(
      [...read('docs/running.md').matchAll(/^\| `(CUELIGHT_[A-Z_]+)` \| `?(\d+)`? \|/gm)].map(([, name, value]) => [
        name,
        Number(value),
      ]),
    )
    const { runner } = config.config
    expect(defaults).toEqual({
      CUELIGHT_POLL_MS: runner.pollMs,
      CUELIGHT_RUN_BATCH: runner.runBatch,
      CUELIGHT_STEPS_PER_PASS: runner.stepsPerPass,
      CUELIGHT_RUN_CONCURRENCY: runner.runConcurrency,
      CUELIGHT_MAX_DISPATCHES: runner.maxDispatches,
      CUELIGHT_STEP_MAX_ATTEMPTS: runner.stepMaxAttempts,
      CUELIGHT_STEP_RETRY_MS: runner.stepRetryMs,
      CUELIGHT_STALL_MS: runner.stallMs,
      CUELIGHT_LEASE_MS: runner.leaseMs,
      CUELIGHT_STEP_LEASE_MARGIN_MS: runner.stepLeaseMarginMs,
      CUELIGHT_HORIZON_DAYS: runner.horizonDays,
      CUELIGHT_LOG_RETENTION_DAYS: runner.logRetentionDays,
    })
  })
})

test('every script of npm that is named exists', () => {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(read('package.json'))
  const workflows = read('.ci/run') + read('Dockerfile')
  const inDocuments = named(
    /\bnpm (?:run (?:--silent )?)?((?<=run (?:--silent )?)[a-z][a-z:-]*|test|start)\b/g,
    ALL + workflows,
  )
  expect(inDocuments).toEqual(expect.arrayContaining(['demo', 'lint', 'schema', 'start', 'test']))
  expect(inDocuments.filter((name) => scripts[name] === undefined)).toEqual([])
})

describe('GraphQL', () => {
  const requests = FILES.flatMap(({ file, text }) => requestsOf(text).map((request) => ({ file, ...request })))

  test('is found in the documents', () => {
    expect(requests.length).toBeGreaterThan(12)
    expect(requests.filter(({ variables }) => variables !== null).length).toBeGreaterThan(4)
  })

  test.each(requests)('$file: $source', ({ source, variables }) => {
    const document = parse(source)
    expect(validate(schema, document, specifiedRules)).toEqual([])
    const [operation] = document.definitions
    if (variables === null || operation?.kind !== Kind.OPERATION_DEFINITION) return
    expect(getVariableValues(schema, operation.variableDefinitions ?? [], variables).errors).toBeUndefined()
  })
})

type Request = { source: string; variables: Record<string, unknown> | null }

/** The requests of a document: blocks of GraphQL, calls of the tour's `gql`, curl's, and those within JavaScript. */
function requestsOf(text: string): Request[] {
  return [...text.matchAll(/^```(\w+)\n(.*?)^```/gms)].flatMap(([, language, block = '']) => {
    if (language === 'graphql') return [{ source: block, variables: null }]
    if (language === 'js') {
      return [...block.matchAll(/`((?:query|mutation|subscription)\b[^`]*)`/g)].map(([, source = '']) => ({
        source,
        variables: null,
      }))
    }
    if (language !== 'sh') return []
    const called = [...block.matchAll(/^gql '([^']+)'(?: (?:'([^']+)'|"((?:[^"\\]|\\.)+)"))?/gm)].map(
      ([, source = '', plain, escaped]) => {
        const variables = plain ?? escaped?.replaceAll('\\"', '"')
        return { source, variables: variables === undefined ? null : JSON.parse(variables) }
      },
    )
    const curled = [...block.matchAll(/"query":"([^"]+)"|'query=([^']+)'/g)].map(([, body, form]) => ({
      source: body ?? form ?? '',
      variables: null,
    }))
    return [...called, ...curled]
  })
}

test('every kind of log line that is named is one of the code’s', () => {
  const inCode = named(
    /\b(?:line|stepLine|resourceLine)\(\s*'([a-z]+\.[a-z]+)'/g,
    ['log', 'step-log', 'ledger-log'].map((file) => read(`src/domain/${file}.ts`)).join(''),
  )
  expect(inCode.length).toBeGreaterThan(12)
  const about = unique(inCode.map((kind) => kind.split('.')[0])).join('|')
  const inDocuments = unique([
    ...named(new RegExp(`\`((?:${about})\\.[a-z]+)\``, 'g')),
    ...named(/"kind": ?"([a-z]+\.[a-z]+)"/g),
    ...named(/kind === '([a-z.]+)'/g),
    ...named(/^ {2}\d\d:\d\d:\d\d\.\d{3} {2}(\S+)/gm),
  ])
  expect(inDocuments.length).toBeGreaterThan(6)
  expect(inDocuments.filter((kind) => !inCode.includes(kind))).toEqual([])
})

test('every link leads somewhere', () => {
  const links = FILES.flatMap(({ file, text }) =>
    [...text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].map(([, path = '', anchor]) => ({
      file,
      target: path === '' ? file : join(dirname(file), path),
      anchor,
    })),
  )
  expect(links.length).toBeGreaterThan(20)
  const leadsNowhere = links.filter(({ target, anchor }) => {
    if (!existsSync(join(root, target))) return true
    return anchor !== undefined && !anchorsOf(read(target)).includes(anchor)
  })
  expect(leadsNowhere).toEqual([])
})

/** The anchors of a document's headings, as GitHub makes them. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

test('the connections to the database are as many as the document says, with the one for notifications', () => {
  const sizes = Object.values(POOL_SIZES)
  const said = read('docs/running.md').matchAll(/up to (\d+) connections|: (\d+) a server/g)
  expect([...said].map(([, all, each]) => Number(all ?? each))).toEqual(
    Array(2).fill(sizes.reduce((sum, size) => sum + size, 1)),
  )
})

describe('what the bench measured', () => {
  const results: Results = JSON.parse(read('test/bench/results.json'))

  test('is in its table as in its results', () => {
    const report = reportOf(results)
    expect(read('test/bench/results.md')).toBe(report)
    expect(report).not.toMatch(/undefined|NaN|null/)
  })

  const count = (value: number) => value.toLocaleString('en')
  const tenth = (value: number) => Number(value.toFixed(1))

  test('is in the README, each contender by its name', () => {
    const rows = [...read('README.md').matchAll(/^\| (.+) \|$/gm)].map(([, row = '']) =>
      row.split('|').map((cell) => cell.trim()),
    )
    const named: Record<string, string> = {
      'Cuelight, 1 step': 'Cuelight: runs of 1 step',
      'graphile-worker, default': 'graphile-worker',
      'graphile-worker, local queue and batches': 'the same, fetched ahead',
      'pg-boss, 1 job a fetch': 'pg-boss',
      'pg-boss, 100 jobs a fetch': 'the same, 100 a fetch',
      'Cuelight, 5 steps': 'Cuelight: steps of runs of 5',
      'DBOS queue, 5 steps': 'DBOS',
      'the plain design through Prisma, 5 steps': 'the plain design',
      'Cuelight through pg alone, 5 steps': "Cuelight's own statements through pg",
    }
    expect(Object.keys(named).sort()).toEqual(Object.keys(results.rates).sort())
    for (const [name, { perSecond, node, postgres }] of Object.entries(results.rates)) {
      const ratio = results.ratios.find(({ theirs }) => theirs === name)?.ratio ?? ''
      const [, rate, ...others] = rows.find(([what]) => what?.startsWith(named[name] ?? name)) ?? []
      expect([name, rate?.split(' ')[0], ...others]).toEqual([
        name,
        count(perSecond),
        String(ratio),
        `${node}, ${postgres}`,
      ])
    }
  })

  test('is in what the README and the page on scaling say', () => {
    const { starts, materialise, fanOut, crowd, controls, server, stepsPerSecond, anatomy, atSize, apart, footprint } =
      results
    const { making, repinning } = materialise.latenessMs
    const [made, taken] = [materialise.makeSeconds, materialise.repinSeconds].map(Math.round)
    const [one = 0, two = 0] = stepsPerSecond
    const [, met, aims] = /## Goals: (\d+) of (\d+) are met/.exec(reportOf(results)) ?? []
    const { sameProcess: same, otherProcess: other } = controls
    const { work, readers, rush, hourly } = apart
    const { asTheyAre, withoutDisk } = apart.starts
    const percent = (share: number) => `${Math.round(share * 100)} %`
    const rates = atSize.growth.map(({ stepsPerSecond: rate }) => count(rate))
    const { dashboard, retention, filled } = atSize
    const first = dashboard["the console's first page"]
    const busy = dashboard['calendar, a month of a busy definition']
    if (first === undefined || busy === undefined) throw new Error('The pages are not in the results.')
    const from = (numbers: readonly number[]) => `${Math.min(...numbers)} to ${Math.max(...numbers)}`
    const ratio = (theirs: string, digits = 1) => {
      const found = results.ratios.find((each) => each.theirs === theirs)
      return { is: found?.ratio.toFixed(digits), rounds: found?.rounds.map((each) => each.toFixed(digits)) ?? [] }
    }
    const [graphile, batched] = [
      ratio('graphile-worker, default'),
      ratio('graphile-worker, local queue and batches', 2),
    ]
    const [boss, hundred] = [ratio('pg-boss, 1 job a fetch'), ratio('pg-boss, 100 jobs a fetch', 2)]
    const [dbos, plain] = [ratio('DBOS queue, 5 steps'), ratio('the plain design through Prisma, 5 steps')]
    const costOf = (name: string) => {
      const { perSecond = 0, node = 0, postgres = 0 } = results.rates[name] ?? {}
      return { perSecond, node, postgres, both: node + postgres }
    }
    const [run, step] = [costOf('Cuelight, 1 step'), costOf('Cuelight, 5 steps')]
    const [job, fetched] = [costOf('graphile-worker, default'), costOf('graphile-worker, local queue and batches')]
    const [lone, many] = [costOf('pg-boss, 1 job a fetch'), costOf('pg-boss, 100 jobs a fetch')]
    const [queued, plainly] = [costOf('DBOS queue, 5 steps'), costOf('the plain design through Prisma, 5 steps')]
    // A run of one step has two transitions, of seven lines; what was taken apart is one of them, of three.
    const [lines, indexes, reading] = [(anatomy.lines * 7) / 3, anatomy.indexes * 2, anatomy.reading * 2].map(
      Math.round,
    )
    const known = (lines ?? 0) + (indexes ?? 0) + (reading ?? 0)
    const ofTen = atSize.growth.map(({ share }) => share.toFixed(2))
    const range = ({ rounds }: { rounds: string[] }) => {
      const sorted = [...rounds].sort((a, b) => Number(a) - Number(b))
      return `${sorted[0]} to ${sorted.at(-1)}`
    }
    const said = {
      'README.md': [
        `${met} of ${aims} are met`,
        `worked off ${count(one)} steps a second`,
        `called ${tenth(starts.p50)} ms after its instant (${tenth(starts.p99)} ms for 99 of 100)`,
        `made in ${made} s, and taken along into new versions in ${taken} s, during which starts are up to ${Math.max(making.max, repinning.max)} ms late`,
      ],
      'docs/scaling.md': [
        `| ${count(one)} a second |`,
        `${count(two)} steps a second where one did ${count(one)}`,
        `median wait ${fanOut.ours.p50Ms} ms, 99th percentile ${fanOut.ours.p99Ms} ms; ${fanOut.ours.cpuShare} of a core`,
        `| ${fanOut.yogaLinesPerSecond} lines/s |`,
        `median wait ${crowd.ours.p50Ms} ms, 99th percentile ${crowd.ours.p99Ms} ms; ${crowd.ours.cpuShare} of a core`,
        `median ${same.p50Ms} / ${other.p50Ms} ms, 99th percentile ${same.p99Ms} / ${other.p99Ms} ms`,
        `median ${tenth(starts.p50)} ms, 99th percentile ${tenth(starts.p99)} ms, never before it`,
        `| ${tenth(server.existingMs / 1000)} / ${tenth(server.newMs / 1000)} s |`,
        `| ${server.idleMB} MB |`,
        `| ${made} s / ${taken} s |`,
        `${making.p99} / ${repinning.p99} ms late`,
        ...Object.entries({
          'reading what is sent of the run, and looking it up': anatomy.reading,
          '3 lines of log': anatomy.lines,
          "the step's row": anatomy.step,
          'five indexes: what keeps an occurrence from being there twice, and what lists read': anatomy.indexes,
          "the rest: the run's row and lock, what is due, what is claimed": anatomy.rest,
          'all of it': anatomy.start,
        }).map(([what, micros]) => `| ${what} | ${micros} |`),
        `${rates[0]} steps a second beside 10 waiting runs, ${rates[1]} beside 1,000 and ${rates[2]} beside 100,000`,
        `within 30 ms for 99 of 100** (${Math.round(first.p99)})`,
        `${first.statements} statements, in ${['', 'one turn', 'two turns', 'three turns', 'four turns'][first.turns]}`,
        `In the middle it takes ${Math.round(first.p50)} ms, of which at least one of them is under way for ${Math.round(first.databaseMs)}`,
        `Of 100 pages ${Math.round(100 - first.undisturbed.share * 100)} meet a collection of garbage; of the others 99 of 100 come within ${Math.round(first.undisturbed.p99 ?? 0)} ms`,
        `within 30 ms for 99 of 100** (${Math.round(busy.p99)})`,
        `takes two transitions and, with others beside it, ${run.node} µs of the server's processor and ${run.postgres} µs of PostgreSQL's`,
        `are the rest of the ${run.postgres} µs`,
        `A step of five takes ${step.both} µs.`,
        `it was ${footprint.commits} a run`,
        `of 12,000 runs it made ${count(step.perSecond)}`,
        `In the full database below it was ${count(atSize.inFilled)}`,
        `(${ofTen[1]} and ${ofTen[2]} of what it was`,
        `is ${count(Math.floor(one / 5))} a second of these, or ${Math.round((one / 5) * 0.0864)} million a day`,
        `which alone takes ${starts.commit.p50.toFixed(1)} ms in the middle`,
        `| ${count(fanOut.linesPerSecond)} lines/s; after`,
        `A job takes ${count(job.both)} and ${count(lone.both)} µs of both processors, a run of one step ${run.both}; the aims would leave it ${Math.round(job.both / 4)} and ${Math.round(lone.both / 10)}`,
        `come to ${known} (${lines}, ${indexes} and ${reading}, its end reckoned like its start), which with the server's ${run.node} is`,
        `the other ${run.postgres - known} are rows`,
        `A job takes ${fetched.both} and ${many.both} µs there`,
        `would leave a run ${fetched.both * 2} and ${many.both} µs. Its lines alone take ${lines} of PostgreSQL's, and the server's share is ${run.node}`,
        `A step takes ${step.both} µs of both processors, one of DBOS ${count(queued.both)}, so that twelve times would leave ${Math.round(queued.both / 12)}; one of the plain design ${count(plainly.both)}, and it waits besides, as it uses ${((plainly.perSecond * plainly.both) / 1e6).toFixed(1)} of a processor`,
        `(${graphile.is} and ${boss.is}; in the rounds ${range(graphile)} and ${range(boss)})`,
        `(${batched.is} and ${hundred.is})`,
        `(${dbos.is} and ${plain.is}; in the rounds ${range(dbos)} and ${range(plain)})`,
        `within 20 ms for 99 of 100** (${Math.round(fanOut.ours.p99Ms)}; in the rounds ${from(fanOut.rounds.map(Math.round))})`,
        `Of the latest twentieth of them, ${asTheyAre.making.slowest.sent} and ${asTheyAre.repinning.slowest.sent} ms pass in the middle`,
        `and ${asTheyAre.making.slowest.underWay} and ${asTheyAre.repinning.slowest.underWay} until that is answered`,
        `the answers took ${withoutDisk.making.slowest.underWay} and ${withoutDisk.repinning.slowest.underWay} ms`,
        `busy for ${percent(asTheyAre.making.busy)} and ${percent(asTheyAre.repinning.busy)} of`,
        `lines of log. Filling it took ${filled.seconds} s`,
        `${(retention.besideWriting / retention.writtenMeanwhile).toFixed(1)} times what was written meanwhile: ${count(retention.writtenMeanwhile)} lines a second, where writing alone came to ${count(retention.writtenAlone)} (in the rounds ${retention.rounds.join(', ')} times)`,
        `${Math.round(crowd.ours.kibPerReader)} KiB for each socket with one subscription; a process with 10,000 of them held ${crowd.ours.residentMiB} MiB`,
        `A bare broadcast takes ${Math.round(crowd.broadcast.kibPerReader)} KiB for each of as many and holds ${crowd.broadcast.residentMiB} MiB, ${crowd.broadcast.cpuShare} of a core, and its frames come within ${crowd.broadcast.p99Ms} ms`,
        `uses ${fanOut.broadcast.cpuShare} of a core, and its frames alone take ${fanOut.broadcast.p99Ms} ms for 99 of 100`,
        `${making.p99} and ${repinning.p99} ms for 99 of 100`,
        ...Object.entries({
          'the first page of runs': 'runs, first page',
          'a page of runs in the middle': 'runs, a page in the middle',
          'a run of 200 steps with them all': 'a run of 200 steps',
          'the calendar of a month of one event, about 40 entries': 'calendar, a month of a usual definition',
          'the calendar of a month of a busy event, 2,266 entries': 'calendar, a month of a busy definition',
          "what the console's first page asks, four lists at once": "the console's first page",
        }).map(([what, name]) => {
          const { p50 = 0, p99 = 0, rowsRead = 0 } = atSize.dashboard[name] ?? {}
          return `| ${what} | ${Math.round(p50)} ms | ${Math.round(p99)} ms | ${count(rowsRead)} |`
        }),
        `${percent(work.busy)} of both were`,
        `${work.records.all} records in the write-ahead log, ${work.records.lines} of them its lines and ${work.records.entries} entries`,
        `${percent(work.collecting)} are the collection of garbage and ${percent(work.longest.share)} the system call that sends statements (${work.longest.name.split(' ')[0]})`,
        `500 of them have a line within ${readers[500]?.p99Ms} ms (${readers[500]?.rounds.join(', ')} in the rounds)`,
        `in which its code is compiled, it is ${Math.round(fanOut.firstSecondP99Ms)} ms`,
        `the first time ${hourly.map(({ rounds }) => rounds[0]).join(' / ')} |`,
        `called after ${rush.first} ms, of half of them after ${rush.half}, of the last after ${rush.last}, and all were over after ${rush.over} ms`,
        hourly.map(({ seconds }) => `${seconds} s`).join(' / '),
        `while they are made ${asTheyAre.making.p99Ms} ms became ${withoutDisk.making.p99Ms} (in the rounds ${asTheyAre.making.rounds.join(', ')} and ${withoutDisk.making.rounds.join(', ')})`,
        `while they are taken along ${asTheyAre.repinning.p99Ms} became ${withoutDisk.repinning.p99Ms} (${asTheyAre.repinning.rounds.join(', ')} and ${withoutDisk.repinning.rounds.join(', ')})`,
        `1,000 had it within ${readers[1000]?.p99Ms} (${readers[1000]?.rounds.join(', ')})`,
        `${count(atSize.retention.alone)} lines a second alone and ${count(atSize.retention.besideWriting)} beside writing`,
      ],
    }
    for (const [file, parts] of Object.entries(said)) {
      const text = read(file)
      expect(parts.filter((part) => !text.includes(part))).toEqual([])
    }
  })
})
