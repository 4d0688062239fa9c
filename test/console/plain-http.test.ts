import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@urql/core'
import { afterEach, expect, test, vi } from 'vitest'
import { rehearseControl } from '../../src/console/definitions/definition-controls.ts'
import { StartRequest } from '../../src/console/start/start-request.ts'
import type { DefinitionPageFragment } from '../../src/generated/console/documents.ts'

afterEach(() => void vi.unstubAllGlobals())

/** What browsers have of crypto where a page came over plain http from another machine. */
const insecure = { getRandomValues: crypto.getRandomValues.bind(crypto) }

test('a run is started and rehearsed from a page that came over plain http', async () => {
  vi.stubGlobal('crypto', insecure)
  const asked: string[] = []
  const client = new Client({ url: 'http://server.test/graphql', exchanges: [] })
  vi.spyOn(client, 'mutation').mockImplementation((_document, variables) => {
    asked.push((variables as { input: { requestId: string } }).input.requestId)
    throw new Error('no answer')
  })
  const definition = { id: 'def_1', title: 'The cup', currentVersion: null } as DefinitionPageFragment
  const control = rehearseControl(client, { definition, onStart: () => {} })
  for (let presses = 0; presses < 2; presses += 1) {
    await expect(control.perform({ reason: '', instant: '' })).rejects.toThrow('no answer')
  }
  expect(asked[0]).toMatch(/^console-[0-9a-f]{32}$/)
  expect(asked[1]).toBe(asked[0])
  expect(new StartRequest().named({ definitionId: 'def_1' }).requestId).toMatch(/^console-[0-9a-f]{32}$/)
})

test('nothing of the console needs what browsers keep for https', () => {
  const folder = 'src/console'
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file))
  expect(files.length).toBeGreaterThan(100)
  const found = files.filter((file) =>
    /\brandomUUID\(|\bcrypto\.subtle\b/.test(readFileSync(join(folder, file), 'utf8')),
  )
  expect(found).toEqual([])
})
