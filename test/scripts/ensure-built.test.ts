import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeEach, expect, test } from 'vitest'

// A project as small as can be, with the script and the compiler of this one.

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'cuelight-built-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const at = (path: string) => join(folder, path)
const SERVER = 'dist/cli/main.js'
/** What is built last. */
const BUILT = 'dist/console/index.html'

function write(path: string, text: string): void {
  mkdirSync(dirname(at(path)), { recursive: true })
  writeFileSync(at(path), text)
}

/** As if it had been changed at that hour of a day long ago. */
function changedAt(hour: number, path: string): void {
  const when = new Date(Date.UTC(2020, 0, 1, hour))
  utimesSync(at(path), when, when)
}

const INPUTS = [
  'src/cli/main.ts',
  'prisma/schema.prisma',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'vite.config.ts',
]

for (const path of [
  'scripts/ensure-built.mjs',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
])
  cpSync(join(root, path), at(path), { recursive: true })
symlinkSync(join(root, 'node_modules'), at('node_modules'))
write('prisma/schema.prisma', '')
// The generators have a stamp of their own; here they are only asked.
write('scripts/generate-documents.mjs', '')
write(
  'vite.config.ts',
  `export default { root: 'src/console', build: { outDir: '../../dist/console', emptyOutDir: true } }\n`,
)
write('scripts/generate.mjs', `import { appendFileSync } from 'node:fs'\nappendFileSync('generated', 'asked\\n')\n`)

beforeEach(() => {
  rmSync(at('generated'), { force: true })
  write('src/cli/main.ts', 'const words: string[] = []\nconsole.log(words.length)\n')
  write('src/generated/client.ts', 'export {}\n')
  write('src/console/index.html', '<title>The console</title>\n')
  for (const path of [...INPUTS, 'src', 'src/cli', 'src/console', 'src/console/index.html']) changedAt(10, path)
  for (const path of [SERVER, BUILT]) {
    write(path, '// built before\n')
    changedAt(11, path)
  }
})

function ensureBuilt() {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/ensure-built.mjs'], {
    cwd: folder,
    encoding: 'utf8',
  })
  const asked = existsSync(at('generated'))
  const holds = (path: string, text: string) => existsSync(at(path)) && readFileSync(at(path), 'utf8').includes(text)
  const built = holds(SERVER, 'console.log') && holds(BUILT, 'The console')
  return { status, stdout, stderr, asked, built }
}

test('what is newer than all that it is made from is left as it is', () => {
  expect(ensureBuilt()).toEqual({ status: 0, stdout: '', stderr: '', asked: false, built: false })
})

test('without a build one is made, and the next time there is nothing to do', () => {
  rmSync(at('dist'), { recursive: true })
  expect(ensureBuilt()).toEqual({ status: 0, stdout: '', stderr: 'Building Cuelight …\n', asked: true, built: true })
  expect(readFileSync(at(SERVER), 'utf8')).not.toContain('string[]')
  expect(ensureBuilt().stderr).toBe('')
})

test.each(INPUTS)('a change of %s builds again', (path) => {
  changedAt(12, path)
  expect(ensureBuilt()).toMatchObject({ status: 0, asked: true, built: true })
})

test('what the generators made anew builds nothing by itself', () => {
  changedAt(12, 'src/generated/client.ts')
  expect(ensureBuilt()).toMatchObject({ status: 0, stderr: '', built: false })
})

test('types that do not fit are left to who checks them', () => {
  write('src/cli/main.ts', 'const words: string[] = 7\nconsole.log(words)\n')
  expect(ensureBuilt()).toMatchObject({ status: 0, built: true })
})

test('a build that fails says so, ends with 1, and is tried again the next time', () => {
  write('src/cli/main.ts', 'const words = (\n')
  for (let time = 0; time < 2; time += 1) {
    const { status, stderr, built } = ensureBuilt()
    expect(status).toBe(1)
    expect(built).toBe(false)
    expect(stderr).toContain('src/cli/main.ts(')
    expect(stderr).toMatch(
      /\nCuelight could not be built: node node_modules\/typescript\/bin\/tsc .* failed \(exit code \d\)\. What it says is above\.\n$/,
    )
  }
})
