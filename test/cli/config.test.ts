import { expect, test } from 'vitest'
import { readClientConfig } from '../../src/cli/config.ts'

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

test.each(['two words', 'two\nlines', 'tokén', ''])(
  'a token that no header can hold, like %j, is refused and not shown',
  (token) => {
    expect(() => readClientConfig({ token }, {})).toThrow(
      /^The token \(--token or CUELIGHT_TOKEN\) may be printable ASCII characters without spaces[^é\n]*$/,
    )
  },
)
