import { expect, test } from 'vitest'
import { createLogger, type LogDestination } from '../../src/server/logger.ts'

function recording(isTTY = false): LogDestination & { text: string } {
  return {
    text: '',
    isTTY,
    write(line) {
      this.text += line
    },
  }
}

test('a line is JSON with a level, a time and its fields', () => {
  const destination = recording()
  createLogger({ level: 'info', format: 'auto' }, { destination }).info({ url: 'http://x' }, 'listening')
  expect(JSON.parse(destination.text)).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    url: 'http://x',
    msg: 'listening',
  })
})

test('on a terminal it is written for people', () => {
  const destination = recording(true)
  createLogger({ level: 'info', format: 'auto' }, { destination }).info('listening')
  expect(destination.text).toMatch(/INFO.*listening/)
  expect(() => JSON.parse(destination.text)).toThrow()
})

test('lines below the level are not written', () => {
  const destination = recording()
  createLogger({ level: 'warn', format: 'json' }, { destination }).info('hello')
  expect(destination.text).toBe('')
})

test.each(['json', 'pretty'] as const)('no planted secret shows in a line, wherever it stands (%s)', (format) => {
  const destination = recording()
  const secrets = ['p"ss/wörd', 'the-admin-token-of-the-owner']
  const log = createLogger({ level: 'trace', format }, { destination, secrets })
  log.info({ token: 'abc-1', authorization: 'Bearer abc-2', nested: { password: 'abc-3' } }, 'p"ss/wörd in a message')
  log.error(new Error('connect postgresql://me:abc-4@db/x with the-admin-token-of-the-owner'))
  log.warn({ anything: ['Bearer abc-5', encodeURIComponent('p"ss/wörd')] }, `cuelight_${'abc-6'.padEnd(43, 'x')}`)
  expect(destination.text).not.toMatch(/abc-|wörd|w%C3%B6rd|the-admin-token/)
  expect(destination.text).toContain('[redacted]')
  expect(destination.text).toContain('postgresql://me:[redacted]@db/x')
})

test('secrets that are words of a line leave it whole', () => {
  const destination = recording()
  const secrets = ['level', 'msg', 'info', '1', 'instances']
  createLogger({ level: 'info', format: 'json' }, { destination, secrets }).info(
    { instances: 1, of: 'instances' },
    'up',
  )
  expect(JSON.parse(destination.text)).toEqual({
    level: 'info',
    time: expect.any(String),
    instances: 1,
    of: '[redacted]',
    msg: 'up',
  })
  expect(destination.text.endsWith('}\n')).toBe(true)
})
