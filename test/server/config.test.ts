import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../../src/server/config.ts'
import { secretsOf } from '../../src/server/secrets.ts'

function configOf(env: Record<string, string>) {
  const result = readConfig(env)
  if (!result.ok) throw new Error(result.problems.join('\n'))
  return result
}

function problemsOf(env: Record<string, string>): string[] {
  const result = readConfig(env)
  if (result.ok) throw new Error('It was accepted.')
  return result.problems
}

test('with an empty environment everything has its default', () => {
  expect(configOf({})).toEqual({
    ok: true,
    warnings: [],
    config: {
      host: '127.0.0.1',
      port: 4000,
      databaseUrl: null,
      dataDir: resolve('.cuelight'),
      adminToken: null,
      signOn: null,
      traces: null,
      modules: [],
      remoteModules: [],
      targets: [],
      publicUrl: null,
      allowedOrigins: [],
      zoneFolder: '/usr/share/zoneinfo',
      runner: {
        pollMs: 1000,
        runBatch: 192,
        stepsPerPass: 25,
        runConcurrency: 576,
        maxDispatches: 1000,
        stepMaxAttempts: 3,
        stepRetryMs: 60_000,
        stallMs: 1_800_000,
        leaseMs: 30_000,
        stepLeaseMarginMs: 5000,
        horizonDays: 14,
        logRetentionDays: 90,
      },
      log: { level: 'info', format: 'auto' },
    },
  })
})

test('what is set is taken, and a variable that is empty counts as not set', () => {
  const { config } = configOf({
    HOST: '0.0.0.0',
    PORT: '0',
    DATABASE_URL: 'postgres://me:pw@db:5432/cuelight',
    CUELIGHT_DATA_DIR: '/var/lib/cuelight',
    CUELIGHT_ADMIN_TOKEN: 'sixteen-letters!',
    CUELIGHT_MODULES: ' ./world.ts, some-package ,',
    CUELIGHT_ALLOWED_ORIGINS: 'https://a.example, http://localhost:5173/',
    CUELIGHT_PUBLIC_URL: 'https://cuelight.example/',
    CUELIGHT_STEP_RETRY_MS: '0',
    CUELIGHT_STALL_MS: '60000',
    CUELIGHT_POLL_MS: '',
    TZDIR: '/opt/zoneinfo',
    LOG_LEVEL: 'debug',
    LOG_FORMAT: 'json',
  })
  expect(config).toMatchObject({
    host: '0.0.0.0',
    port: 0,
    databaseUrl: 'postgres://me:pw@db:5432/cuelight',
    dataDir: '/var/lib/cuelight',
    adminToken: 'sixteen-letters!',
    modules: ['./world.ts', 'some-package'],
    allowedOrigins: ['https://a.example', 'http://localhost:5173'],
    publicUrl: 'https://cuelight.example',
    zoneFolder: '/opt/zoneinfo',
    runner: { stepRetryMs: 0, pollMs: 1000 },
    log: { level: 'debug', format: 'json' },
  })
})

test('every bad setting is named at once, with what it may be', () => {
  const bad = {
    PORT: '99999',
    DATABASE_URL: 'mysql://root:hunter2@db/x',
    CUELIGHT_ADMIN_TOKEN: 'short',
    CUELIGHT_ALLOWED_ORIGINS: 'https://a.example/path',
    CUELIGHT_PUBLIC_URL: 'cuelight.example',
    CUELIGHT_POLL_MS: '1.5',
    CUELIGHT_LEASE_MS: '-1',
    CUELIGHT_STEP_MAX_ATTEMPTS: 'three',
    LOG_LEVEL: 'loud',
    LOG_FORMAT: 'xml',
    CUELIGHT_HORIZON_DAYS: '0',
    CUELIGHT_STALL_MS: '999',
    CUELIGHT_JWT_ISSUER: 'https://sso.example',
    CUELIGHT_TARGETS: 'not JSON',
    CUELIGHT_REMOTE_MODULES: 'not JSON',
  }
  const problems = problemsOf(bad)
  for (const name of Object.keys(bad)) {
    expect(problems.filter((problem) => problem.startsWith(`${name} `))).toHaveLength(1)
  }
  expect(problems).toHaveLength(Object.keys(bad).length)
  expect(problems).toContain(
    'CUELIGHT_POLL_MS is "1.5"; it may be a whole number from 10 to 60000 (milliseconds between backstop polls).',
  )
  expect(problems).toContain('LOG_LEVEL is "loud"; it may be one of trace, debug, info, warn, error, fatal, silent.')
})

const SIGN_ON = {
  CUELIGHT_JWKS_URL: 'https://sso.example/jwks',
  CUELIGHT_JWT_ISSUER: 'https://sso.example',
  CUELIGHT_JWT_AUDIENCE: 'cuelight',
}

test('single sign-on needs an issuer and an audience; the claim of the role has a default', () => {
  const signOn = {
    jwksUrl: 'https://sso.example/jwks',
    issuer: 'https://sso.example',
    audience: 'cuelight',
    roleClaim: 'role',
  }
  expect(configOf(SIGN_ON).config.signOn).toEqual(signOn)
  expect(configOf({ ...SIGN_ON, CUELIGHT_JWT_ROLE_CLAIM: 'groups' }).config.signOn?.roleClaim).toBe('groups')
  const { CUELIGHT_JWKS_URL } = SIGN_ON
  expect(problemsOf({ CUELIGHT_JWKS_URL })).toEqual([
    expect.stringMatching(/^CUELIGHT_JWT_ISSUER has to be set with CUELIGHT_JWKS_URL/),
    expect.stringMatching(/^CUELIGHT_JWT_AUDIENCE has to be set with CUELIGHT_JWKS_URL/),
  ])
  expect(problemsOf({ ...SIGN_ON, CUELIGHT_JWKS_URL: '' })).toHaveLength(2)
})

test.each(['http://localhost:8080/k', 'http://127.0.0.1/k', 'http://[::1]:1/k', 'https://10.0.0.7/k'])(
  'keys may be read from %s',
  (url) => expect(configOf({ ...SIGN_ON, CUELIGHT_JWKS_URL: url }).config.signOn?.jwksUrl).toBe(url),
)

test.each(['http://sso.example/k', 'http://127.0.0.1.example/k', 'https://me:hunter2@sso.example/k', 'file:///k', 'k'])(
  'keys may not be read from %s',
  (url) => {
    const problems = problemsOf({ ...SIGN_ON, CUELIGHT_JWKS_URL: url })
    expect(problems).toEqual([expect.stringMatching(/^CUELIGHT_JWKS_URL may be an https address/)])
    expect(problems.join()).not.toContain('hunter2')
  },
)

test('a problem never shows a secret', () => {
  const text = problemsOf({ DATABASE_URL: 'mysql://root:hunter2@db/x', CUELIGHT_ADMIN_TOKEN: 'zq7' }).join(' ')
  expect(text).not.toContain('hunter2')
  expect(text).not.toContain('zq7')
})

test('a name that starts with CUELIGHT_ and is none of ours is warned about, with the one it may have been', () => {
  expect(configOf({ CUELIGHT_MODULE: './world.ts', CUELIGHT_COLOUR_SCHEME: 'blue', OTHER: '1' }).warnings).toEqual([
    'CUELIGHT_COLOUR_SCHEME is not a setting of Cuelight and is ignored.',
    'CUELIGHT_MODULE is not a setting of Cuelight and is ignored; did you mean CUELIGHT_MODULES?',
  ])
})

test('a password that is not encoded is told how it has to be written', () => {
  const read = readConfig({ DATABASE_URL: 'postgresql://cuelight:100%sure@db/events' })
  expect(read.ok ? [] : read.problems.join()).toMatch(/DATABASE_URL.*%25/)
})

test.each([
  ['before the host', 'postgresql://ada:p%C3%A4ss-word@db.example/cuelight'],
  ['among the parameters', 'postgresql://db.example/cuelight?user=ada&password=p%C3%A4ss-word'],
])('the password of the database is a secret %s', (_where, DATABASE_URL) => {
  expect(secretsOf(configOf({ DATABASE_URL }).config)).toContain('päss-word')
})
