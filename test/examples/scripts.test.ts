import { type SpawnSyncReturns, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { beforeAll, expect, inject, test } from 'vitest'
import { served, TOKEN } from '../server/served.ts'
import { testDatabase } from '../support/database.ts'

// The scripts that are shown to those who write their own, and the commands of their page, against a real server.

const page = readFileSync('docs/scripts.md', 'utf8')
/** With which a reader gets the trigger of the page. */
const [, module = ''] = /`CUELIGHT_MODULES=(\S+) npm start`/.exec(page) ?? []
const gated = {
  schedule: { manual: true },
  phases: [
    {
      key: 'fight',
      steps: [],
      advance: { trigger: { on: 'shard.boss-slain', where: { field: 'boss', op: 'EQ', value: 'Balron' } } },
    },
  ],
}

let server: Awaited<ReturnType<typeof served>>
let folder: string
beforeAll(async () => {
  const { url } = await testDatabase()
  let stop = async (): Promise<void> => {}
  server = await served({ DATABASE_URL: url, CUELIGHT_MODULES: module }, { until: (it) => (stop = it) })
  await server.publish('fight', [], { spec: gated })
  await server.publish('quiz-night', [{ actionId: 'core.log', params: { message: '{host} opens the room.' } }], {
    parameters: [{ name: 'host', required: true }],
  })
  folder = await mkdtemp(join(tmpdir(), 'cuelight-scripts-'))
  await symlink(resolve('node_modules/.bin/jiti'), join(folder, 'jiti'))
  return async () => {
    await stop()
    await rm(folder, { recursive: true, force: true })
  }
})

type Ended = Pick<SpawnSyncReturns<string>, 'status' | 'stdout' | 'stderr'>

async function run(file: string, args: string[], env: Record<string, string> = {}): Promise<Ended> {
  const child = spawn(file, args, {
    env: { PATH: `${folder}:${process.env.PATH}`, CUELIGHT_URL: server.url, CUELIGHT_TOKEN: TOKEN, TZ: 'UTC', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (data) => {
    stdout += String(data)
  })
  child.stderr.on('data', (data) => {
    stderr += String(data)
  })
  const [status] = await once(child, 'close')
  return { status, stdout, stderr }
}

let fights = 0
const startFight = async (scope = '') => {
  fights += 1
  const definition = await server.ask('{ definition(slug: "fight") { id } }')
  const id = /def_[0-9a-f-]+/.exec(definition)?.[0]
  const answer = await server.ask(
    'mutation ($input: StartRunInput!) { startRun(input: $input) { ... on StartRunPayload { run { id } } } }',
    { input: { definitionId: id, scope, requestId: `fight ${fights}` } },
  )
  const runId = /run_[0-9a-f-]+/.exec(answer)?.[0] ?? ''
  await server.reaches(runId, 'RUNNING')
  return runId
}
const emit = (args: string[], env?: Record<string, string>) => run('examples/emit.sh', args, env)
const taken = ({ stdout }: Ended) => JSON.parse(stdout).data.emitTrigger

test('the script for a shell emits a trigger, which opens the gate it is for, and counts once by its key', async () => {
  const runId = await startFight()
  const env = { CUELIGHT_DEDUPE_KEY: 'the "first" kill' }
  const other = await emit(['shard.boss-slain', '{ "boss": "Rat", "level": 1 }'])
  expect({ ...other, stdout: taken(other).matchedCount }).toEqual({ status: 0, stdout: 0, stderr: '' })
  const first = await emit(['shard.boss-slain', '{ "boss": "Balron", "level": 5 }'], env)
  expect(taken(first)).toMatchObject({ duplicate: false, matchedCount: 1 })
  await server.reaches(runId, 'COMPLETED')
  expect(taken(await emit(['shard.boss-slain', '{ "boss": "Balron", "level": 5 }'], env)).duplicate).toBe(true)
})

test('the address of the server may end as the command line takes it, too', async () => {
  for (const end of ['/', '/graphql', '/graphql/']) {
    const { status } = await emit(['shard.boss-slain', '{ "boss": "Rat", "level": 1 }'], {
      CUELIGHT_URL: server.url + end,
    })
    expect(status, end).toBe(0)
  }
})

test('with a scope it tells the runs of that scope alone', async () => {
  const runId = await startFight('the "east" \\ shard')
  const slain = ['shard.boss-slain', '{ "boss": "Balron", "level": 5 }']
  expect(taken(await emit([...slain, 'west'])).matchedCount).toBe(0)
  expect(taken(await emit([...slain, 'the "east" \\ shard'])).matchedCount).toBe(1)
  await server.reaches(runId, 'COMPLETED')
})

test('it says what is wrong on standard error, and fails', async () => {
  const cases: [string[], Record<string, string>, number, RegExp][] = [
    [['shard.boss-slain', '{ "boss": "Balron", "level": "high" }'], {}, 1, /payload\.level: must be a number/],
    [['nothing.happened'], {}, 1, /nothing\.happened/],
    [['shard.boss-slain', '{ not JSON'], {}, 1, /JSON/],
    [['shard.boss-slain'], { CUELIGHT_TOKEN: 'wrong' }, 1, /UNAUTHENTICATED/],
    [['shard.boss-slain'], { CUELIGHT_URL: 'http://127.0.0.1:1/a b' }, 1, /curl/],
    [['shard.boss-slain'], { CUELIGHT_TOKEN: '' }, 2, /^Usage/],
    // Without them it would be another scope, or another setting of curl's.
    [['shard.boss-slain', '{}', 'east\nshard'], {}, 2, /control characters/],
    [['shard.boss-slain'], { CUELIGHT_TOKEN: 'one\nurl = "http://127.0.0.1:1/"' }, 2, /control characters/],
    [[], {}, 2, /^Usage/],
  ]
  for (const [args, env, status, stderr] of cases)
    expect(await emit(args, env), args.join()).toEqual({ status, stdout: '', stderr: expect.stringMatching(stderr) })
})

const startAndWait = (args: string[], env?: Record<string, string>) =>
  run('jiti', ['examples/client/start-and-wait.ts', ...args], env)

test('the client in TypeScript starts an event once for each request, and ends with its run', async () => {
  const first = await startAndWait(['quiz-night', 'quiz of monday', '{"host":"Mira"}'])
  expect(first).toEqual({
    status: 0,
    stdout: expect.stringMatching(/^quiz-night: run_\S+ is started\.\n(.*\n)*COMPLETED\n$/),
    stderr: '',
  })
  const again = await startAndWait(['quiz-night', 'quiz of monday', '{"host":"Mira"}'])
  expect(again.stdout).toBe(`${first.stdout.split('\n')[0]?.replace('is started', 'was started before')}\nCOMPLETED\n`)
  expect(await startAndWait(['quiz-night', 'quiz of tuesday'])).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('params.host'),
  })
  expect(await startAndWait(['nothing', 'x'])).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('"nothing"'),
  })
  expect(await startAndWait([])).toMatchObject({ status: 2 })
})

test('every command of the page does what it says', async () => {
  const runId = await startFight()
  const blocks = [...page.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block)
  expect(blocks.length).toBeGreaterThan(4)
  const script = blocks
    .join('\necho\n')
    .replaceAll('http://127.0.0.1:4000', server.url)
    .replaceAll('npx jiti', 'jiti')
    .replaceAll('$CHECKOUT/dist', inject('build'))
  const { status, stdout, stderr } = await run('bash', ['-euo', 'pipefail', '-c', script])
  expect({ status, stderr }).toMatchObject({ status: 0 })
  expect(stdout).toMatch(/^cuelight_[\w-]{43}$/m)
  expect(stdout.match(/"__typename":"EmitTriggerPayload"/g)).toHaveLength(2)
  expect(stdout).toContain('Mira opens the room.')
  expect(stdout).toMatch(/^COMPLETED$/m)
  await server.reaches(runId, 'COMPLETED')
})
