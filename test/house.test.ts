import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

// The linter checks which folder imports which (biome.json); this checks what a rule on imports cannot.

const SRC = fileURLToPath(new URL('../src', import.meta.url))
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !file.startsWith('generated'))
  .map((file) => ({ folder: file.split(sep)[0], file, text: readFileSync(join(SRC, file), 'utf8') }))

const found = (pattern: RegExp, folders: string[]) =>
  files
    .filter(({ folder, text }) => folder !== undefined && !folders.includes(folder) && pattern.test(text))
    .map(({ file }) => file)

test.each([
  ['src', 320],
  ['test', 400],
])('no file of %s has more than %i lines: a longer one is asking to be two', (folder, most) => {
  const root = fileURLToPath(new URL(`../${folder}`, import.meta.url))
  const sizes = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ts|tsx|js|mjs)$/.test(file) && !file.split(sep).includes('node_modules'))
    .filter((file) => !file.startsWith('generated'))
    .map((file) => ({ file, lines: readFileSync(join(root, file), 'utf8').split('\n').length - 1 }))
  expect(sizes.length).toBeGreaterThan(50)
  expect(sizes.filter(({ lines }) => lines > most)).toEqual([])
})

test('raw SQL stands in src/store alone', () => {
  const raw = /\$(queryRaw|executeRaw)/
  expect(found(raw, [])).toContain(join('store', 'claims.ts'))
  expect(found(raw, ['store'])).toEqual([])
})

test('rows are read and written through models in src/store alone, and by the API through Pothos', () => {
  const query = /\.\s*(find(Unique|First|Many)(OrThrow)?|createMany|updateMany|deleteMany|upsert|groupBy)\s*\(/
  expect(found(query, ['store', 'graphql'])).toEqual([])
})

test('the clock is read where time is made, and nowhere in domain', () => {
  const domain = files.filter(({ folder }) => folder === 'domain')
  expect(
    domain.filter(({ text }) => /Date\.now|new Date\(\)|performance\.now|DateTime\.(now|utc\(\))/.test(text)),
  ).toEqual([])
})

test('tests wait with the patience that is the same everywhere', () => {
  const root = fileURLToPath(new URL('.', import.meta.url))
  const impatient = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.split(sep).includes('node_modules'))
    .filter((file) => readFileSync(join(root, file), 'utf8').includes('vi.wait' + 'For('))
  expect(impatient).toEqual([join('support', 'eventually.ts')])
})
