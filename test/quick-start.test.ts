import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { served, TOKEN } from './server/served.ts'
import { createTestDatabase } from './support/database.ts'

// The quick start of the README, typed in as it stands there; what a person would wait for is waited for.

const [, quickStart = ''] = /^### 1\. .*?\n(.*?)^## What is there/ms.exec(readFileSync('README.md', 'utf8')) ?? []
const blocks = [...quickStart.matchAll(/^```sh\n(.*?)^```/gms)]
  .map(([, block = '']) => block)
  .filter((block) => /\b(gql|curl) /.test(block))

const UNTIL_A_CUE_IS_OPEN = `until gql '{ cues { id } }' | grep -q cue_; do sleep 0.2; done > /dev/null\n`
const UNTIL_THE_STREAM_ENDS = 'wait\n'

test('its commands lead from a draft to the log of a completed run', { timeout: 120_000 }, async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const { url } = await served({ DATABASE_URL: database.url })
  expect(blocks.length).toBeGreaterThan(6)
  const script = blocks
    .map((block) => {
      if (block.includes("gql '{ cues {")) return UNTIL_A_CUE_IS_OPEN + block
      return block.includes('log(first: 500)') ? UNTIL_THE_STREAM_ENDS + block : block
    })
    .join('\n')
    .replace(/^TOKEN=.*$/m, `TOKEN=${TOKEN}`)
    .replaceAll('http://127.0.0.1:4000', url)
  const child = spawn('bash', ['-eo', 'pipefail', '-c', script], { stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let [out, err] = ['', '']
  child.stdout.on('data', (data) => {
    out += String(data)
  })
  child.stderr.on('data', (data) => {
    err += String(data)
  })
  const [code] = await once(child, 'close')
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).not.toContain('"errors"')
  expect(out).toContain('{"data":{"viewer":{"name":"admin","role":"ADMIN"}}}')
  expect(out).toContain('"state":"DRAFT","draftIssues":[]')
  expect(out).toContain('{"data":{"publishDefinition":{"version":{"version":1},"definition":{"state":"READY"}}}}')
  expect(out).toContain('"startRun":{"created":true')
  expect(out).toContain('"instruction":"Mira, welcome everybody. Then confirm."')
  expect(out).toContain('{"data":{"confirmCue":{"step":{"status":"DONE","note":"Twelve teams"}}}}')
  expect(out).toContain('event: complete')
  // The log as the README shows it, but for its instants.
  const said = (text: string) => [...text.matchAll(/^\d{4}-\d\d-\d\dT\S+Z {2}(.*)$/gm)].map(([, line]) => line)
  const unclocked = (lines: readonly (string | undefined)[]) =>
    lines.map((line) => line?.replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, '…'))
  expect(said(quickStart).length).toBeGreaterThan(15)
  expect(unclocked(said(out))).toEqual(unclocked(said(quickStart)))
})
