import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'

// What a module's author has: the built package among their node_modules, a module and a test of their own.

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const guide = join(root, 'docs/writing-modules.md')
let folder: string
/** Where their processes keep what is temporary: what is left there was leaked. */
let temporary: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cuelight-author-'))
  temporary = join(folder, 'tmp')
  const installed = join(folder, 'node_modules/cuelight')
  await mkdir(installed, { recursive: true })
  await mkdir(temporary)
  await cp(inject('build'), join(installed, 'dist'), { recursive: true })
  for (const part of ['package.json', 'prisma']) await cp(join(root, part), join(installed, part), { recursive: true })
  await symlink(join(root, 'node_modules'), join(installed, 'node_modules'))
  for (const name of ['zod', '@types', 'typescript']) {
    await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  }
  await writeFile(join(folder, 'package.json'), '{ "name": "tavern", "type": "module" }')
  for (const [name, text] of await filesOf(guide)) await writeFile(join(folder, name), text)
}, 120_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

/** The files that a guide shows: code blocks that begin with their name in a comment. */
async function filesOf(document: string): Promise<[string, string][]> {
  const blocks = (await readFile(document, 'utf8')).matchAll(/^```(?:ts|js)\n\/\/ (\S+)\n(.*?)^```/gms)
  return [...blocks].map(([, name = '', text = '']) => [name, text])
}

const node = (...args: string[]) =>
  run(process.execPath, args, { cwd: folder, env: { ...process.env, TMPDIR: temporary, NODE_OPTIONS: '' } })

test('the test that the guide shows runs with node:test against the installed package, and leaves nothing behind', async () => {
  const { stdout } = await node('--test', '--test-reporter=tap', 'tavern.test.js')
  expect(stdout).toMatch(/^# pass [1-9]/m)
  expect(stdout).toMatch(/^# fail 0/m)
  expect(await readdir(temporary)).toEqual([])
}, 60_000)

test('what the guide shows has the types it says', async () => {
  const options = [
    '--strict',
    '--noEmit',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--types',
    'node',
    '--allowJs',
    '--checkJs',
  ]
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const files = (await filesOf(guide)).map(([name]) => name)
  await expect(node(tsc, ...options, '--skipLibCheck', ...files)).resolves.toMatchObject({ stdout: '' })
}, 60_000)

test('nothing of a closed test server keeps its process from ending', async () => {
  await writeFile(
    join(folder, 'closes.js'),
    `import { createTestServer } from 'cuelight/testing'
     const server = await createTestServer()
     await server.close()
     const closed = performance.now()
     process.on('exit', () => console.log(performance.now() - closed))`,
  )
  expect(Number((await node('closes.js')).stdout)).toBeLessThan(5_000)
}, 60_000)

test('a process that is killed before it closes its test servers takes their PostgreSQL along', async () => {
  await writeFile(
    join(folder, 'killed.js'),
    `import { createTestServer } from 'cuelight/testing'
     await createTestServer()
     console.log('ready')`,
  )
  const child = spawn(process.execPath, ['killed.js'], {
    cwd: folder,
    env: { ...process.env, TMPDIR: temporary, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(createInterface({ input: child.stdout }), 'line')
  const [dataDir = ''] = await readdir(temporary)
  const pid = Number((await readFile(join(temporary, dataDir, 'postgres/data/postmaster.pid'), 'utf8')).split('\n')[0])
  expect(() => process.kill(pid, 0)).not.toThrow()
  child.kill('SIGKILL')
  await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow(/ESRCH/), { timeout: 20_000, interval: 50 })
  await vi.waitFor(async () => expect(await readdir(temporary)).toEqual([]), { timeout: 20_000, interval: 50 })
}, 60_000)
