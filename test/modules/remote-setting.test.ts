import { expect, test } from 'vitest'
import { parseRemoteModules } from '../../src/modules/remote.ts'
import { SECRET } from './harbour.ts'

const world = { url: 'https://world.example/cuelight', secret: SECRET }

test('CUELIGHT_REMOTE_MODULES is a JSON list', () => {
  const other = { url: 'http://10.0.0.7:4100/', secret: SECRET }
  expect(parseRemoteModules(JSON.stringify([world, other]))).toEqual({ modules: [world, other], problems: [] })
  for (const nothing of [undefined, '', ' ', '[]'])
    expect(parseRemoteModules(nothing)).toEqual({ modules: [], problems: [] })
})

test.each<[string, unknown]>([
  [' must be a list, and is an object.', {}],
  ['[0] must be an object, and is a text.', ['https://planted.example']],
  ['[0].url must be a text', [{ secret: SECRET }]],
  ['[0].url must be an http or https address', [{ ...world, url: 'ftp://planted' }]],
  ['[0].url must be an http or https address', [{ ...world, url: 'https://me:planted@x.example' }]],
  ['[0].url must have no ? and no #', [{ ...world, url: 'https://x.example/?key=planted' }]],
  ['[0].url must have no ? and no #', [{ ...world, url: 'https://x.example/#planted' }]],
  ['[0].secret must be a text; give the secret that its requests are signed with.', [{ url: world.url }]],
  ['[0].secret must be "whsec_" and 24 to 64 bytes in base64', [{ ...world, secret: 'planted' }]],
  ['[0].name is not known here', [{ ...world, name: 'planted' }]],
  ['[1].url is the same as that of [0]; remove one.', [world, { ...world, url: `${world.url}/` }]],
])('a setting that is refused: %s', (problem, given) => {
  const { modules, problems } = parseRemoteModules(JSON.stringify(given))
  expect(modules).toEqual([])
  expect(problems.join('\n')).toContain(`CUELIGHT_REMOTE_MODULES${problem}`)
  expect(problems.join('\n')).not.toContain('planted')
})

test('all that is wrong is named at once', () => {
  const given = [{ url: 'ftp://x', secret: 'short' }, { url: 7 }]
  expect(parseRemoteModules(JSON.stringify(given)).problems.map((problem) => problem.split(' ')[0])).toEqual([
    'CUELIGHT_REMOTE_MODULES[0].url',
    'CUELIGHT_REMOTE_MODULES[0].secret',
    'CUELIGHT_REMOTE_MODULES[1].url',
    'CUELIGHT_REMOTE_MODULES[1].secret',
  ])
})

test('what is no JSON is refused without being quoted', () => {
  const { problems } = parseRemoteModules('[{"secret": "planted"')
  expect(problems).toEqual([expect.stringMatching(/^CUELIGHT_REMOTE_MODULES must be a JSON list like \[\{"url"/)])
  expect(problems.join()).not.toContain('planted')
})
