import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadModules, splitSpecifiers } from '../../src/modules/load.ts'
import { Registry } from '../../src/modules/registry.ts'

// Outside of this package, where neither cuelight nor zod can be found by itself.
let cwd: string
const write = async (path: string, text: string) => {
  await mkdir(dirname(join(cwd, path)), { recursive: true })
  await writeFile(join(cwd, path), text)
}
const action = (id: string) => `{
  id: '${id}', label: 'Act', version: 1, risk: 'notify', budgetMs: 1000,
  params: { type: 'object' }, perform: () => ({ ok: true }),
}`

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'cuelight-load-'))
  await write(
    'world.ts',
    `import { defineAction, defineModule, type ActionRisk } from 'cuelight'
     import { z } from 'zod'
     const risk: ActionRisk = 'notify'
     export default defineModule({ id: 'world', actions: [defineAction({
       id: 'world.act', label: 'Act', version: 1, risk, budgetMs: 1000,
       params: z.object({ count: z.number() }), perform: () => ({ ok: true as const }),
     })] })`,
  )
  await write('plain.cjs', `module.exports = { id: 'plain', actions: [${action('plain.act')}] }`)
  await write('named.mjs', `export const id = 'named'\nexport const actions = [${action('named.act')}]`)
  await write(
    'tested.ts',
    `import { createTestServer } from 'cuelight/testing'
     if (typeof createTestServer !== 'function') throw new Error('no test server')
     export default { id: 'tested', actions: [${action('tested.act')}] }`,
  )
  await write('syntax.ts', 'export default {{')
  await write('throws.mjs', `throw new Error('no world today')`)
  await write('foreign.mjs', `export default { id: 'foreign', actions: [${action('world.act')}] }`)
  await write('hangs.mjs', 'await new Promise(() => {})\nexport default {}')
  await write(
    'node_modules/cuelight-hall/package.json',
    '{"name": "cuelight-hall", "type": "module", "main": "index.js"}',
  )
  await write(
    'node_modules/cuelight-hall/index.js',
    `import { defineModule } from 'cuelight'\nexport default defineModule({ id: 'hall', actions: [${action('hall.act')}] })`,
  )
})
afterAll(() => rm(cwd, { recursive: true }))

async function load(specifiers: string[], timeoutMs?: number) {
  const registry = new Registry()
  const lines: [string, string][] = []
  await loadModules({
    specifiers,
    registry,
    cwd,
    log: (level, message) => lines.push([level, message]),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  })
  return { registry, lines, ids: registry.actions().map(({ id }) => id) }
}

test('a TypeScript module outside of this package loads without a build', async () => {
  const { ids, lines, registry } = await load(['./world.ts'])
  expect(registry.failures()).toEqual([])
  expect(ids).toEqual(['world.act'])
  expect(lines).toEqual([['info', 'Module "world" loaded from ./world.ts.']])
  expect(registry.action('world.act')?.checkDraft({ count: 'x' })).toHaveLength(1)
})

test.each<[string, string, () => string]>([
  ['a plain object in CommonJS', 'plain.act', () => './plain.cjs'],
  ['named exports', 'named.act', () => 'named.mjs'],
  ['an absolute path', 'world.act', () => join(cwd, 'world.ts')],
  ['a file URL', 'world.act', () => pathToFileURL(join(cwd, 'world.ts')).href],
  ['a package', 'hall.act', () => 'cuelight-hall'],
])('%s loads', async (_name, id, specifier) => {
  const { ids, registry } = await load([specifier()])
  expect(registry.failures()).toEqual([])
  expect(ids).toEqual([id])
})

// From the sources some 170 files are translated, which takes seconds of a processor; a package brings them translated.
test('what imports cuelight/testing loads', async () => {
  const { ids, registry } = await load(['./tested.ts'], 100_000)
  expect(registry.failures()).toEqual([])
  expect(ids).toEqual(['tested.act'])
}, 120_000)

test('a bad module is reported and stops no other', async () => {
  const bad = ['./syntax.ts', './throws.mjs', './foreign.mjs', './absent.ts', 'no-such-package']
  const { ids, registry, lines } = await load([...bad, './world.ts', './world.ts'])
  expect(ids).toEqual(['world.act'])
  expect(registry.failures().map(({ source }) => source)).toEqual([...bad, './world.ts'])
  const problem = (source: string) =>
    registry
      .failures()
      .find((failure) => failure.source === source)
      ?.problems.join(' ')
  expect(problem('./syntax.ts')).toMatch(/^Module \.\/syntax\.ts cannot be imported: /)
  expect(problem('./throws.mjs')).toContain('no world today')
  expect(problem('./foreign.mjs')).toContain('Action world.act: id must start with the id of its module, "foreign."')
  expect(problem('./absent.ts')).toContain('there is no file')
  expect(problem('no-such-package')).toMatch(
    /there is no package no-such-package in .*; install it there, or correct its name in CUELIGHT_MODULES/,
  )
  expect(problem('./world.ts')).toContain('id is taken')
  expect(lines.filter(([level]) => level === 'error')).toHaveLength(6)
})

test('a module that never finishes its import is given up', async () => {
  const { registry, ids } = await load(['./hangs.mjs', './world.ts'], 200)
  expect(ids).toEqual(['world.act'])
  expect(registry.failures()).toEqual([
    { source: './hangs.mjs', problems: [expect.stringContaining('was not imported within 200 ms')] },
  ])
})

test('the setting is a comma-separated list', () => {
  expect(splitSpecifiers(' ./a.ts, b ,,')).toEqual(['./a.ts', 'b'])
  expect(splitSpecifiers(undefined)).toEqual([])
})
