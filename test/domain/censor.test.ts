import { expect, test } from 'vitest'
import { ANY_BEARER, beginningOf, censorOf } from '../../src/domain/censor.ts'

test('secrets are struck out as they stand and as addresses and JSON write them; short ones are words', () => {
  const censor = censorOf(['p"ss/wörd', 'short'])
  expect(censor('p"ss/wörd p%22ss%2Fw%C3%B6rd p\\"ss/wörd short')).toBe('[redacted] [redacted] [redacted] short')
})

test('of two secrets of which one holds the other nothing is left', () => {
  expect(censorOf(['password', 'password-and-more'])('password-and-more password')).toBe('[redacted] [redacted]')
})

test('what looks like a secret is one, and a person who bears something is none', () => {
  const censor = censorOf([])
  expect(censor(`token cuelight_${'x'.repeat(43)}`)).toBe('token [redacted]')
  const jwt = [{ alg: 'ES256' }, { iss: 'https://sso.example' }].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  )
  expect(censor(`no such user: ${jwt.join('.')}.c2lnbmF0dXJl, in x.y.z`)).toBe('no such user: [redacted], in x.y.z')
  expect(censor('https://me:pw@x.example/y and https://x.example:80/y')).toBe(
    'https://me:[redacted]@x.example/y and https://x.example:80/y',
  )
  expect(censor('Bearer 0123456789abcdef')).toBe('Bearer [redacted]')
  expect(censor('the ring bearer Galadriel')).toBe('the ring bearer Galadriel')
  expect(censorOf([], ANY_BEARER)('Bearer abc')).toBe('Bearer [redacted]')
})

test('a text is cut between words, so that no secret is left in part', () => {
  expect(beginningOf('short', 5)).toBe('short')
  expect(beginningOf('it is hunter2hunter2', 12)).toBe('it is…')
  expect(beginningOf('hunter2hunter2', 12)).toBe('…')
})
