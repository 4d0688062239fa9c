import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { readConfig } from '../src/server/config.ts'

// What can be said of the container's files without a Docker engine.

const read = (file: string) => readFileSync(fileURLToPath(new URL(`../${file}`, import.meta.url)), 'utf8')
const Service = z.object({
  image: z.string(),
  environment: z.record(z.string(), z.string()),
  ports: z.array(z.string()).optional(),
  read_only: z.boolean().optional(),
  cap_drop: z.array(z.string()).optional(),
  stop_grace_period: z.string().optional(),
  healthcheck: z.object({ test: z.array(z.string()) }).optional(),
})
const { services } = z
  .object({ services: z.object({ postgres: Service, cuelight: Service }) })
  .parse(parse(read('docker-compose.yml')))
const dockerfile = read('Dockerfile')

/** A value as Compose fills it in, with what is given for its variables. */
const filledIn = (value: string, given: Record<string, string>) =>
  value.replace(/\$\{(\w+)(?::[?-][^}]*)?\}/g, (_all, name: string) => given[name] ?? '')

test('its settings are taken by the server, with and without what may be left out', () => {
  const secrets = { POSTGRES_PASSWORD: 'a-password', CUELIGHT_ADMIN_TOKEN: 'sixteen-characters' }
  const optional = { CUELIGHT_PUBLIC_URL: 'https://cuelight.example', CUELIGHT_MODULES: './modules/world.ts' }
  for (const more of [undefined, optional]) {
    const env = Object.entries(services.cuelight.environment).map(([name, value]) => [
      name,
      filledIn(value, { ...secrets, ...more }),
    ])
    const result = readConfig(Object.fromEntries(env))
    expect(result).toMatchObject({ ok: true, warnings: [] })
    const { hostname } = new URL(result.ok ? (result.config.databaseUrl ?? '') : '')
    expect(Object.keys(services)).toContain(hostname)
  }
})

test('images are pinned to a version, nothing runs as root or with rights, and the port is this machine’s alone', () => {
  expect(services.postgres.image).toMatch(/^postgres:\d+\.\d+$/)
  const [, pinned] = /^ARG NODE=(\S+)$/m.exec(dockerfile) ?? []
  expect(pinned).toMatch(/^\d+\.\d+\.\d+-/)
  expect(dockerfile.match(/^FROM .*/gm)?.filter((line) => !/^FROM node:\$\{NODE\}/.test(line))).toEqual([])
  expect(dockerfile).toMatch(/^USER node$/m)
  expect(services.cuelight).toMatchObject({ read_only: true, cap_drop: ['ALL'], ports: ['127.0.0.1:4000:4000'] })
})

test('Node.js is one that the package takes, and the paths that are started and copied are those of the build', () => {
  const manifest = JSON.parse(read('package.json'))
  const [, major = ''] = /^ARG NODE=(\d+)/m.exec(dockerfile) ?? []
  expect(manifest.engines.node).toContain(`>=${major}.`)
  expect(dockerfile).toContain(`"${manifest.bin.cuelight}", "serve"`)
  for (const folder of manifest.files) expect(dockerfile).toContain(`/app/${folder.split('/')[0]}`)
  expect(dockerfile).toContain('/readyz')
  expect(services.postgres.healthcheck?.test).toContain('--host=127.0.0.1')
})
