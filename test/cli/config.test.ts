import { expect, test } from 'vitest'
import { readClientConfig } from '../../src/cli/config.ts'
import { EXIT } from '../../src/cli/failure.ts'

test('the flags win over the environment, and the environment over the default', () => {
  const env = { CUELIGHT_URL: 'https://events.example', CUELIGHT_TOKEN: 'from-the-environment' }
  expect(readClientConfig({}, {})).toEqual({ url: 'http://127.0.0.1:4000', token: null })
  expect(readClientConfig({}, env)).toEqual({ url: 'https://events.example', token: 'from-the-environment' })
  expect(readClientConfig({ url: 'http://other:1', token: 'given' }, env)).toEqual({
    url: 'http://other:1',
    token: 'given',
  })
})

test('an address that is none is refused, naming where it came from', () => {
  expect(() => readClientConfig({}, { CUELIGHT_URL: 'events.example' })).toThrow(/^CUELIGHT_URL is "events.example"/)
  expect(() => readClientConfig({ url: 'ftp://x' }, {})).toThrow(/^--url is "ftp:\/\/x"/)
})

test.each([
  ['http://127.0.0.1:4711/graphql', 'http://127.0.0.1:4711'],
  ['http://127.0.0.1:4711/graphql/', 'http://127.0.0.1:4711'],
  ['https://events.example/live/graphql', 'https://events.example/live'],
  ['https://events.example/live', 'https://events.example/live'],
])('the address of the API, %s, is taken for that of the server', (given, url) => {
  expect(readClientConfig({ url: given }, {})).toEqual({ url, token: null })
  expect(readClientConfig({}, { CUELIGHT_URL: given })).toEqual({ url, token: null })
})

test.each(['http://mira:hidden@x', 'http://x/?hidden', 'http://x/graphql#hidden'])(
  'an address with more than a place, %s, is refused and not shown',
  (url) => {
    expect(() => readClientConfig({ url }, {})).toThrow(
      /^--url may hold no user, password, query or fragment;(?!.*hidden)/,
    )
  },
)

test.each(['two words', 'two\nlines', 'tokén', ''])(
  'a token that no header can hold, like %j, is refused and not shown',
  (token) => {
    const read = () => readClientConfig({ token }, {})
    expect(read).toThrow(expect.objectContaining({ exit: EXIT.USAGE }))
    expect(read).toThrow(
      /^The token \(--token or CUELIGHT_TOKEN\) may be printable ASCII characters without spaces[^é\n]*$/,
    )
  },
)
