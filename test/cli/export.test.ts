import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { FRIDAY, filesOf } from './friday.ts'
import { quizServer } from './quiz-server.ts'

const { ask, cuelight, json } = await quizServer()

test('export gives what apply takes; over a file it changes what differs and leaves comments standing', async () => {
  const { folder, at, read } = filesOf({ 'kept.yaml': FRIDAY.replace('slug: friday', 'slug: kept') })
  await json('apply', at('kept.yaml'))
  const before = read('kept.yaml')
  expect((await cuelight(['export', 'kept', '--dir', folder])).out).toBe(`${at('kept.yaml')}: unchanged\n`)
  expect(read('kept.yaml')).toBe(before)

  const { id, spec } = JSON.parse(
    await ask('query Kept { definition(slug: "kept") { id draft { asInput } } }').then((text) =>
      text.replace('"draft":{"asInput":', '"spec":{"value":'),
    ),
  ).data.definition
  const changed = { ...spec.value, phases: [{ ...spec.value.phases[0], label: 'Doors', advance: { after: '30s' } }] }
  await ask('mutation Change($input: UpdateDefinitionInput!) { updateDefinition(input: $input) { __typename } }', {
    input: { id, title: 'Friday, late', spec: changed },
  })
  expect(await json('export', 'kept', '--dir', folder)).toEqual([{ file: at('kept.yaml'), change: 'updated' }])
  const after = read('kept.yaml')
  expect(after).toContain('# The quiz of every friday.\n')
  expect(after).toContain('- name: host # who speaks\n')
  expect(after).toContain('# Loud and clear.\n')
  expect(parse(after)).toMatchObject({
    title: 'Friday, late',
    spec: { phases: [{ label: 'Doors', advance: { after: '30s' } }] },
  })

  const all = filesOf({ 'all.yaml': (await cuelight(['export'])).out })
  const planned = await cuelight(['apply', '--dry-run', all.at('all.yaml'), '--json'])
  const plan: { slug: string; change: string }[] = JSON.parse(planned.out)
  expect(plan.map(({ slug }) => slug)).toContain('kept')
  expect(plan.filter(({ change }) => change !== 'unchanged')).toEqual([])
  expect((await cuelight(['export', 'nothing'])).code).toBe(4)
  const taken = await cuelight(['export', 'kept', '--dir', at('kept.yaml')])
  expect(taken).toMatchObject({
    code: 2,
    err: expect.stringMatching(/kept\.yaml cannot be written to \(E\w+.*give another folder/),
  })
  for (const text of ['title: *nobody\n', '- a list\n', 'only words\n']) {
    const other = filesOf({ 'kept.yaml': text })
    const refused = await cuelight(['export', 'kept', '--dir', other.folder])
    expect(refused).toMatchObject({ code: 2, err: expect.stringMatching(/kept\.yaml cannot be written over/) })
    expect(other.read('kept.yaml')).toBe(text)
  }
  const within = at('new/and/newer')
  expect(await json('export', 'kept', '--dir', within)).toEqual([
    { file: join(within, 'kept.yaml'), change: 'created' },
  ])
})

test.runIf(process.platform === 'linux')('a folder that no system makes ends export with a sentence', async () => {
  const made = await cuelight(['export', '--dir', '/proc/cuelight/events'])
  expect(made).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^\/proc\/cuelight\/events cannot be written to \(ENOENT/),
  })
})

test('the schema for editors takes the examples, and refuses what is misspelt or of another kind', async () => {
  const schema = await cuelight(['schema'])
  expect(schema).toMatchObject({ code: 0, err: '' })
  const valid = new Ajv({ strict: true, allErrors: true }).compile(JSON.parse(schema.out))
  const example = JSON.parse(readFileSync('examples/invasion/invasion-of-yew.json', 'utf8'))
  expect(valid(example), JSON.stringify(valid.errors)).toBe(true)
  expect(valid(parse(FRIDAY)), JSON.stringify(valid.errors)).toBe(true)
  const [, documented = ''] = /^```yaml\n(.*?)^```/ms.exec(readFileSync('docs/command-line.md', 'utf8')) ?? []
  expect(valid(parse(documented)), JSON.stringify(valid.errors)).toBe(true)
  for (const [from, to] of [
    ['title:', 'titel:'],
    ['after: 10s', 'after: 10s, trigger: { on: x }'],
    ['title: Friday quiz', 'title: 7'],
    ['default:', 'type: WORDS\n    default:'],
  ] as const) {
    expect(valid(parse(FRIDAY.replace(from, to))), to).toBe(false)
  }
})
