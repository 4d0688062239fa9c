import { expect, test } from 'vitest'
import { readConfig } from '../../src/server/config.ts'
import { secretsOf } from '../../src/server/secrets.ts'

function tracesOf(env: Record<string, string>) {
  const read = readConfig(env)
  if (!read.ok) throw new Error(read.problems.join('\n'))
  return read.config.traces
}

test('traces are exported where an address is set, or the exporter is named; and not otherwise', () => {
  expect(tracesOf({})).toBeNull()
  expect(tracesOf({ OTEL_SERVICE_NAME: 'shard' })).toBeNull()
  expect(tracesOf({ OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' })).toBeNull()
  expect(tracesOf({ OTEL_SDK_DISABLED: 'true', OTEL_TRACES_EXPORTER: 'otlp' })).toBeNull()
  expect(tracesOf({ OTEL_TRACES_EXPORTER: 'otlp' })).toEqual({
    url: 'http://localhost:4318/v1/traces',
    protocol: 'http/protobuf',
    headers: {},
    resource: { 'service.name': 'cuelight' },
    sampler: { kind: 'parentbased_always_on', ratio: 1 },
  })
})

test('every setting is taken, those of traces before those of all', () => {
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example/otlp/',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20a-key-of-ours, x-team=events',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-team=traces',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,deployment.environment.name=eu%2C1',
    OTEL_SERVICE_NAME: 'shard 1',
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
  }
  expect(tracesOf(env)).toEqual({
    url: 'https://collector.example/otlp/v1/traces',
    protocol: 'http/json',
    headers: { authorization: 'Bearer a-key-of-ours', 'x-team': 'traces' },
    resource: { 'service.name': 'shard 1', 'deployment.environment.name': 'eu,1' },
    sampler: { kind: 'traceidratio', ratio: 0.25 },
  })
  const ofTraces = {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://t/here',
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf',
  }
  expect(tracesOf({ ...env, ...ofTraces })).toMatchObject({ url: 'http://t/here', protocol: 'http/protobuf' })
})

test('what a collector is told is a secret', () => {
  const read = readConfig({
    OTEL_TRACES_EXPORTER: 'otlp',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20dTpwYXNz',
  })
  expect(read.ok && secretsOf(read.config)).toEqual(['Basic dTpwYXNz', 'dTpwYXNz'])
})

test.each([
  ['OTEL_SDK_DISABLED', 'yes', /is "yes"; it may be one of true, false\.$/],
  ['OTEL_TRACES_EXPORTER', 'jaeger', /is "jaeger"; it may be one of otlp, none\.$/],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', /is "grpc"; it may be one of http\/protobuf, http\/json\.$/],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318', /may be an http or https address .*OTEL_EXPORTER_OTLP_HEADERS\.$/],
  ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'http://me:hunter2@c', /may be an http or https address/],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'hunter2', /may be name=value pairs, separated by commas/],
  ['OTEL_RESOURCE_ATTRIBUTES', 'a=%', /may be name=value pairs/],
  ['OTEL_TRACES_SAMPLER', 'some', /it may be one of parentbased_always_on, .*traceidratio\.$/],
  ['OTEL_TRACES_SAMPLER_ARG', '1.5', /may be a number from 0 to 1/],
])('%s of %j is named with what it may be', (name, value, sentence) => {
  const read = readConfig({ [name]: value })
  const problems = read.ok ? [] : read.problems
  expect(problems).toEqual([expect.stringMatching(sentence)])
  expect(problems[0]?.startsWith(`${name} `)).toBe(true)
  expect(problems[0]).not.toContain('hunter2')
})
