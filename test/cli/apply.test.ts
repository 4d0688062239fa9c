import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { FRIDAY, filesOf } from './friday.ts'
import { quizServer } from './quiz-server.ts'

const { ask, cuelight, json, env } = await quizServer()

const countOf = async () =>
  JSON.parse(await ask('query Count { definitions { totalCount } }')).data.definitions.totalCount

test('a file is created, then unchanged, then updated; --dry-run shows what would be, and changes nothing', async () => {
  const { at } = filesOf({ 'friday.yaml': FRIDAY })
  const before = await countOf()
  const planned = await cuelight(['apply', '--dry-run', at('friday.yaml')])
  expect(planned).toMatchObject({ code: 0, err: '' })
  expect(planned.out).toMatch(/^friday: would be created\n\+ slug: friday\n\+ title: Friday quiz\n/)
  expect(await countOf()).toBe(before)
  expect(await cuelight(['apply', at('friday.yaml')])).toEqual({
    code: 0,
    out: 'friday: created; version 1 is published.\n',
    err: '',
  })
  expect(await cuelight(['apply', at('friday.yaml')])).toMatchObject({
    code: 0,
    out: 'friday: unchanged; version 1 is the same already.\n',
  })
  writeFileSync(at('friday.yaml'), FRIDAY.replace('after: 10s', 'after: 20s').replace('timeZone: Europe/Berlin\n', ''))
  const [{ change, diff }] = await json('apply', '--dry-run', at('friday.yaml'))
  expect({ change, moved: diff.filter((line: string) => /^[+-]/.test(line)) }).toEqual({
    change: 'updated',
    moved: ['- timeZone: Europe/Berlin', '-         after: 10s', '+         after: 20s'],
  })
  expect(await json('apply', at('friday.yaml'))).toEqual([
    {
      file: at('friday.yaml'),
      slug: 'friday',
      change: 'updated',
      version: 2,
      newVersion: true,
      verified: true,
      warnings: [],
    },
  ])
  const answer = await ask('query Zone { definition(slug: "friday") { timeZone currentVersion { version timeZone } } }')
  expect(JSON.parse(answer).data.definition).toEqual({
    timeZone: 'UTC',
    currentVersion: { version: 2, timeZone: 'UTC' },
  })
})

test('every problem of every file has its place, and nothing is changed while a file cannot be read', async () => {
  const { at } = filesOf({
    'shape.yaml': FRIDAY.replace('title: Friday quiz', 'title: 7').replace('actionId: core.cue', 'action: core.cue'),
    'syntax.json': '{\n  "slug": "x",\n  "title": [\n',
    'twice.yaml': `${FRIDAY}---\n${FRIDAY}`,
    'number.yaml': FRIDAY.replace('slug: friday', 'slug: number').replace('after: 10s', 'after: .inf'),
    'text.yaml': 'just a text\n',
    'alias.yaml': FRIDAY.replace('slug: friday', 'slug: alias').replace('title: Friday quiz', 'title: *loud'),
    'loop.yaml': 'slug: loop\ntitle: Loop\nspec: &spec\n  phases: [*spec]\n',
    'empty.yaml': '',
  })
  const before = await countOf()
  const names = [
    'shape.yaml',
    'syntax.json',
    'twice.yaml',
    'number.yaml',
    'text.yaml',
    'empty.yaml',
    'none.yaml',
    'alias.yaml',
    'loop.yaml',
  ]
  const { code, out, err } = await cuelight(['apply', ...names.map(at)])
  expect({ code, out }).toEqual({ code: 2, out: '' })
  const place = (name: string, rest: string) => `${at(name)}${rest}`
  expect(err).toContain(place('shape.yaml', ':3:8: title: It has to be a text, not 7; put a number into quotes.\n'))
  expect(err).toContain(
    place(
      'shape.yaml',
      ':17:19: spec.phases[0].steps[1].action: This is not known here; write "actionId", or remove it.\n',
    ),
  )
  const lines = err
    .split('\n')
    .flatMap((line) => /shape\.yaml:(\d+):/.exec(line)?.[1] ?? [])
    .map(Number)
  expect(lines).toEqual([...lines].sort((a, b) => a - b))
  expect(err).toContain(place('syntax.json', ':4:1: '))
  expect(err).toMatch(/twice\.yaml:2:7: slug: .*shape\.yaml has this slug already/)
  expect(err).toMatch(/twice\.yaml:22:7: slug: /)
  expect(err).toContain(place('number.yaml', ':19:25: This number is beyond double precision'))
  expect(err).toContain(place('text.yaml', ':1:1: It holds no definition'))
  expect(err).toContain(place('alias.yaml', ':3:8: There is no anchor &loud before this alias'))
  expect(err).toContain(place('loop.yaml', ':4:12: This alias is a part of what it stands for'))
  expect(err).toContain(place('empty.yaml', ': It is empty'))
  expect(err).toMatch(/none\.yaml: It cannot be read .*ENOENT/)
  expect(err).toMatch(/\nNothing was changed\.\n$/)
  expect(await countOf()).toBe(before)
})

test('a file that cannot be read is a wrong command line, whatever the server says; one of another shape is refused', async () => {
  const { at } = filesOf({
    'shape.yaml': FRIDAY.replace('title: Friday quiz', 'title: 7'),
    'syntax.yaml': 'slug: [',
    'good.yaml': FRIDAY,
  })
  for (const name of ['none.yaml', 'syntax.yaml']) {
    expect(await cuelight(['apply', at(name)]), name).toMatchObject({ code: 2, out: '' })
  }
  const away = await cuelight(['apply', at('none.yaml'), at('good.yaml'), '--url', 'http://127.0.0.1:1'])
  expect(away).toMatchObject({
    code: 2,
    err: expect.stringMatching(/none\.yaml: It cannot be read[^\n]*\nNothing was changed\.\n$/),
  })
  expect(await cuelight(['apply', at('shape.yaml')])).toMatchObject({
    code: 3,
    err: expect.stringContaining(':3:8: title'),
  })
})

test('what the draft lacks is told with its place, and nothing is published', async () => {
  const good = FRIDAY.replace('slug: friday', 'slug: good')
  const bad = FRIDAY.replace('slug: friday', 'slug: bad').replace('core.cue', 'core.cu').replace('10s', '10x')
  const { at } = filesOf({ 'good.yaml': good, 'bad.yaml': bad })
  const { code, err } = await cuelight(['apply', at('good.yaml'), at('bad.yaml'), '--json'])
  expect(code).toBe(3)
  expect(JSON.parse(err).error).toMatchObject({
    code: 'INVALID_INPUT',
    problems: [
      { file: at('bad.yaml'), line: 17, column: 21, path: 'spec.phases[0].steps[1].actionId' },
      { file: at('bad.yaml'), line: 19, column: 25, path: 'spec.phases[0].advance.after' },
    ],
  })
  const answer = await ask('query State { definition(slug: "good") { state } }')
  expect(answer).toContain('"state":"DRAFT"')
})

test('--dry-run finds what publishing would refuse, with its place, and saves nothing', async () => {
  const { at } = filesOf({
    'odd.yaml': FRIDAY.replace('slug: friday', 'slug: odd')
      .replace('core.cue', 'core.cu')
      .replace('FREQ=WEEKLY', 'FREQ=WEEKLI')
      .replace('Europe/Berlin', 'Mars/X')
      .replace('{ message:', '{ massage:')
      .replace('10s', '10x'),
    'odder.yaml': FRIDAY.replace('slug: friday', 'slug: odder').replace('{host} opens', '{gost} opens'),
  })
  const before = await countOf()
  const { code, out, err } = await cuelight(['apply', '--dry-run', at('odd.yaml'), at('odder.yaml')])
  expect({ code, out }).toEqual({ code: 3, out: expect.stringMatching(/^odd: would be created\n/) })
  const paths = [...err.matchAll(/odd\.yaml:\d+:\d+: (\S+): /g)].map(([, path]) => path)
  expect(paths).toEqual([
    'timeZone',
    'spec.schedule.recurring.rule',
    'spec.phases[0].steps[0].params.message',
    'spec.phases[0].steps[0].params.massage',
    'spec.phases[0].steps[1].actionId',
    'spec.phases[0].advance.after',
  ])
  expect(err).toMatch(/odder\.yaml:16:30: spec\.phases\[0\]\.steps\[0\]\.params\.message: Warning: /)
  expect(err).toMatch(/\nNothing was changed, and like this nothing would be published\.\n$/)
  expect(await countOf()).toBe(before)
  const saved = await cuelight(['apply', at('odd.yaml')])
  const found = (text: string) => text.split('\n').filter((line) => line.includes('odd.yaml:'))
  expect(found(saved.err)).toEqual(found(err))
  const [{ warnings }] = await json('apply', '--dry-run', at('odder.yaml'))
  expect(warnings).toMatchObject([{ file: at('odder.yaml'), line: 16, path: 'spec.phases[0].steps[0].params.message' }])
  expect(await json('apply', at('odder.yaml'))).toMatchObject([
    { version: 1, warnings: expect.arrayContaining(warnings) },
  ])
})

test('a problem of a step that has a label names it, as does what verification finds', async () => {
  const labelled = FRIDAY.replace(
    '        - actionId: core.cue',
    '        - label: "Wel\\ncome"\n          actionId: core.cue',
  )
  const { at } = filesOf({
    'bad.yaml': labelled.replace('slug: friday', 'slug: labelled').replace('core.cue', 'core.cu'),
    'off.yaml': labelled.replace('slug: friday', 'slug: labelled-off'),
  })
  const named = /bad\.yaml:18:21: spec\.phases\[0\]\.steps\[1\]\.actionId \("Wel come"\): There is no action "core\.cu"/
  for (const args of [['--dry-run'], []]) {
    expect(await cuelight(['apply', ...args, at('bad.yaml')])).toMatchObject({
      code: 3,
      err: expect.stringMatching(named),
    })
  }
  const { err } = await cuelight(['apply', '--json', at('bad.yaml')])
  expect(JSON.parse(err).error.problems).toMatchObject([
    { path: 'spec.phases[0].steps[1].actionId', step: 'Wel\ncome' },
  ])
  const set = (enabled: boolean) =>
    ask(`mutation Set { setActionSetting(input: { actionId: "core.cue", enabled: ${enabled} }) { __typename } }`)
  await set(false)
  onTestFinished(async () => {
    await set(true)
  })
  const off = await cuelight(['apply', at('off.yaml')])
  expect(off.err).toMatch(/off\.yaml:17:11: spec\.phases\[0\]\.steps\[1\] \("Wel come"\): .*switched core\.cue off/)
})

test('a warning cannot work the terminal, not by the name of its file either', async () => {
  const name = 'o\u001b[31mdd.yaml'
  const { at } = filesOf({
    [name]: FRIDAY.replace('slug: friday', 'slug: red').replace('{host} opens', '{gost} opens'),
  })
  const { code, err } = await cuelight(['apply', '--dry-run', at(name)])
  expect({ code, err }).toEqual({ code: 0, err: expect.stringMatching(/o \[31mdd\.yaml:16:30: .*Warning: /) })
  expect(err).not.toContain('\u001b')
})

test('of a slug that can be none nothing is saved, and that is said', async () => {
  const { at } = filesOf({
    'bad.yaml': FRIDAY.replace('slug: friday', 'slug: Bad Slug'),
    'fine.yaml': FRIDAY.replace('slug: friday', 'slug: fine'),
  })
  const before = await countOf()
  for (const args of [[], ['--dry-run']]) {
    expect(await cuelight(['apply', ...args, at('bad.yaml'), at('fine.yaml')])).toEqual({
      code: 3,
      out: '',
      err: `${at('bad.yaml')}:2:7: slug: The slug must be lower-case letters, digits and "-", up to 64, and not begin with "-", like "invasion-of-yew".\nNothing was changed.\n`,
    })
  }
  expect(await countOf()).toBe(before)
})

test('an event is archived by its slug, and a dry run says that it takes no changes any more', async () => {
  const { at } = filesOf({ 'gone.yaml': FRIDAY.replace('slug: friday', 'slug: gone') })
  await json('apply', at('gone.yaml'))
  expect(await cuelight(['archive', 'gone'])).toEqual({ code: 0, out: 'Friday quiz (gone) is ARCHIVED.\n', err: '' })
  expect(await cuelight(['apply', '--dry-run', at('gone.yaml')])).toMatchObject({
    code: 3,
    err: expect.stringMatching(/gone\.yaml:2:7: slug: The event of this slug is archived/),
  })
  expect(await cuelight(['apply', at('gone.yaml')])).toMatchObject({
    code: 3,
    err: expect.stringMatching(/archived.*\nNothing was saved\. Nothing was published\.\n$/),
  })
  expect(await cuelight(['archive', 'never-there'])).toMatchObject({ code: 4 })
})

test('a folder stands for its files, - for standard input, and $schema is for editors alone', async () => {
  const { folder, at } = filesOf({
    'in-json.json': JSON.stringify({
      $schema: './cuelight.schema.json',
      slug: 'in-json',
      title: 'A',
      spec: { schedule: { manual: true }, phases: [{ key: 'one', steps: [] }] },
    }),
    'in-yaml.yml': FRIDAY.replace('slug: friday', 'slug: in-yaml'),
    'cuelight.schema.json': '{}',
    'notes.md': 'none',
  })
  const slugs = (answers: { slug: string; file: string }[]) => answers.map(({ slug, file }) => [slug, file])
  expect(slugs(await json('apply', folder))).toEqual([
    ['in-json', at('in-json.json')],
    ['in-yaml', at('in-yaml.yml')],
  ])
  expect(await cuelight(['apply', '-'], { input: FRIDAY.replace('slug: friday', 'slug: in-yaml') })).toMatchObject({
    code: 0,
    out: 'in-yaml: unchanged; version 1 is the same already.\n',
  })
  expect(await cuelight(['apply', '-'], { input: 'slug: [' })).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^standard input:1:8: /),
  })
  mkdirSync(at('empty'))
  expect(await cuelight(['apply', at('empty')])).toMatchObject({
    code: 2,
    err: expect.stringMatching(/empty: This folder holds no file that ends in \.yaml/),
  })
  expect(await cuelight(['export', 'in-json', '--dir', folder])).toMatchObject({
    out: `${at('in-json.json')}: unchanged\n`,
  })
  const { id } = JSON.parse(await ask('query InJson { definition(slug: "in-json") { id } }')).data.definition
  await ask(`mutation Rename { updateDefinition(input: { id: "${id}", title: "B" }) { __typename } }`)
  expect(await cuelight(['export', 'in-json', '--dir', folder])).toMatchObject({
    out: `${at('in-json.json')}: updated\n`,
  })
  expect(JSON.parse(readFileSync(at('in-json.json'), 'utf8'))).toMatchObject({
    $schema: './cuelight.schema.json',
    title: 'B',
  })
})

test('what is published and did not pass its verification says so, with its place', async () => {
  await ask('mutation Off { setActionSetting(input: { actionId: "core.log", enabled: false }) { __typename } }')
  onTestFinished(async () => {
    await ask('mutation On { setActionSetting(input: { actionId: "core.log", enabled: true }) { __typename } }')
  })
  const { at } = filesOf({ 'off.yaml': FRIDAY.replace('slug: friday', 'slug: off') })
  const { code, out, err } = await cuelight(['apply', at('off.yaml')])
  expect({ code, out }).toEqual({ code: 3, out: 'off: created; version 1 is published.\n' })
  expect(err).toMatch(/off\.yaml:15:11: spec\.phases\[0\]\.steps\[0\]: .*switched core\.log off/)
  expect(err).toContain('its schedule is held.\n')
})

test('an archived event is refused in the words of the server; a moderator may not apply', async () => {
  const { at } = filesOf({
    'old.yaml': FRIDAY.replace('slug: friday', 'slug: old').replace(/recurring: .*/, 'manual: true'),
  })
  await json('apply', at('old.yaml'))
  const { id } = JSON.parse(await ask('query Old { definition(slug: "old") { id } }')).data.definition
  await ask(`mutation Archive { archiveDefinition(input: { id: "${id}" }) { __typename } }`)
  expect(await cuelight(['apply', at('old.yaml')])).toMatchObject({
    code: 3,
    err: expect.stringMatching(/old\.yaml:\d+:\d+: .*archived/),
  })
  const { token } = await json('token', 'create', 'moderator', '--role', 'MODERATOR')
  const options = { env: { ...env, CUELIGHT_TOKEN: token } }
  expect(await cuelight(['apply', at('old.yaml')], options)).toMatchObject({
    code: 3,
    err: expect.stringMatching(/needs the role ADMIN/),
  })
})
