import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { eventually } from '../support/eventually.ts'

// What a module's author has: the built package among their node_modules, a module and a test of their own.

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const guide = join(root, 'docs/writing-modules.md')
let folder: string
/** Where their processes keep what is temporary: what is left there was leaked. */
let temporary: string

let installed: string
/** What the tarball of the package holds. */
let packed: string[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cuelight-author-'))
  temporary = join(folder, 'tmp')
  installed = join(folder, 'node_modules/cuelight')
  await mkdir(installed, { recursive: true })
  await mkdir(temporary)
  packed = await packInto(installed)
  await symlink(join(root, 'node_modules'), join(installed, 'node_modules'))
  for (const name of ['zod', '@types', 'typescript']) {
    await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  }
  await writeFile(join(folder, 'package.json'), '{ "name": "tavern", "type": "module" }')
  for (const [name, text] of await filesOf(guide)) await writeFile(join(folder, name), text)
}, 120_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Packs what npm would publish, unpacks it there, and answers what it is. */
async function packInto(target: string): Promise<string[]> {
  const source = join(folder, 'to-pack')
  await cp(inject('build'), join(source, 'dist'), { recursive: true })
  for (const part of ['package.json', 'prisma', 'README.md', 'LICENSE', 'src/index.ts', 'test/house.test.ts']) {
    await cp(join(root, part), join(source, part), { recursive: true })
  }
  // What it is built from is built already, so that no script of it has anything to do.
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--offline', '--json'], { cwd: source })
  const [made]: { filename: string; files: { path: string }[] }[] = JSON.parse(stdout)
  if (made === undefined) throw new Error(`npm packed nothing: ${stdout}`)
  await run('tar', ['-xzf', join(source, made.filename), '-C', target, '--strip-components=1'])
  await rm(source, { recursive: true })
  return made.files.map(({ path }) => path)
}

/** The files that a guide shows: code blocks that begin with their name in a comment. */
async function filesOf(document: string): Promise<[string, string][]> {
  const blocks = (await readFile(document, 'utf8')).matchAll(/^```(?:ts|js)\n\/\/ (\S+)\n(.*?)^```/gms)
  return [...blocks].map(([, name = '', text = '']) => [name, text])
}

const node = (...args: string[]) =>
  run(process.execPath, args, { cwd: folder, env: { ...process.env, TMPDIR: temporary, NODE_OPTIONS: '' } })

test('the package holds what runs and what its database needs, and nothing else', () => {
  expect(packed).toEqual(
    expect.arrayContaining(['dist/cli/main.js', 'dist/index.d.ts', 'prisma/schema.prisma', 'LICENSE', 'README.md']),
  )
  expect(packed).toContainEqual(expect.stringMatching(/^prisma\/migrations\/.*\/migration\.sql$/))
  expect(
    packed.filter((path) => !/^(dist\/|prisma\/(schema|migrations)|(package\.json|LICENSE|README\.md)$)/.test(path)),
  ).toEqual([])
})

test('what the package exports can be imported where it is installed, and nothing else of it', async () => {
  await writeFile(
    join(folder, 'imports.js'),
    `const names = {}
     for (const path of ['cuelight', 'cuelight/testing']) names[path] = Object.keys(await import(path))
     names.inner = await import('cuelight/dist/store/ids.js').then(() => 'open', ({ code }) => code)
     console.log(JSON.stringify(names))`,
  )
  expect(JSON.parse((await node('imports.js')).stdout)).toEqual({
    cuelight: expect.arrayContaining(['defineModule', 'defineAction', 'defineTrigger']),
    'cuelight/testing': expect.arrayContaining(['createTestServer', 'Refused']),
    inner: 'ERR_PACKAGE_PATH_NOT_EXPORTED',
  })
})

test('the command of the package runs where it is installed', async () => {
  const { bin, version }: { bin: Record<string, string>; version: string } = JSON.parse(
    await readFile(join(installed, 'package.json'), 'utf8'),
  )
  expect(Object.keys(bin)).toEqual(['cuelight'])
  const command = join(installed, bin.cuelight ?? '')
  expect(await readFile(command, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/)
  expect((await node(command, '--version')).stdout).toBe(`${version}\n`)
})

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
  await eventually(() => expect(() => process.kill(pid, 0)).toThrow(/ESRCH/))
  await eventually(async () => expect(await readdir(temporary)).toEqual([]))
}, 60_000)
