import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, test, vi } from 'vitest'
import { normaliseParameter, type ParameterInput, resolveParams } from '../../src/domain/parameters.ts'
import { type EventSpecInput, normaliseSpec, parseVersionSpec, pinSpec } from '../../src/domain/spec.ts'
import { placeholdersIn, renderKey, renderParams } from '../../src/domain/template.ts'
import { callAction } from '../../src/modules/call.ts'
import { coreModule } from '../../src/modules/core/core.ts'
import { loadModules } from '../../src/modules/load.ts'
import type { Envelope } from '../../src/modules/module.ts'
import { Registry } from '../../src/modules/registry.ts'
import { Targets } from '../../src/modules/targets.ts'
import { systemClock } from '../../src/runner/clock.ts'

const folder = fileURLToPath(new URL('../../examples/invasion/', import.meta.url))

type Event = { concurrencyKey: string; parameters: ParameterInput[]; spec: EventSpecInput }
const event: Event = JSON.parse(await readFile(`${folder}invasion-of-yew.json`, 'utf8'))

let registry: Registry
let said: string[]
beforeEach(async () => {
  said = []
  vi.spyOn(console, 'log').mockImplementation((line) => said.push(String(line)))
  registry = new Registry()
  registry.register(coreModule(new Targets()), { core: true })
  await loadModules({ specifiers: ['./world.ts'], registry, cwd: folder, log: () => {} })
})

function actionOf(id: string) {
  const action = registry.action(id)
  if (action === undefined) throw new Error(registry.whyMissing(id))
  return action
}

async function perform(id: string, given: Record<string, unknown>, { key = 'key', verify = false } = {}) {
  const checked = actionOf(id).checkFilled(given)
  if (!checked.ok) throw new Error(JSON.stringify(checked.issues))
  const envelope: Envelope = {
    runId: 'run_1',
    stepId: 'step_1',
    scope: '',
    params: checked.params,
    actor: { kind: 'user', name: 'Mira' },
    idempotencyKey: key,
    verify,
  }
  return callAction(actionOf(id), envelope, {
    signal: new AbortController().signal,
    log() {},
    clock: systemClock,
    censor: (text) => text,
  })
}

test('every step of the event fits the action it names, as authored and filled with the defaults', () => {
  expect(registry.failures()).toEqual([])
  const parameters = event.parameters.map(normaliseParameter)
  const resolved = resolveParams(parameters, {})
  if (!resolved.ok) throw new Error(JSON.stringify(resolved.issues))
  expect(renderKey(event.concurrencyKey, resolved.params)).toBe('invasion:Yew')
  const pinned = parseVersionSpec(pinSpec(normaliseSpec(event.spec), registry))
  const steps = pinned?.phases.flatMap((phase) => phase.steps) ?? []
  expect(steps.length).toBeGreaterThan(5)
  for (const { actionId, params } of steps) {
    expect(actionOf(actionId).checkDraft(params)).toEqual([])
    const filled = renderParams(params, resolved.params)
    expect(placeholdersIn(filled)).toEqual([])
    expect(actionOf(actionId).checkFilled(filled)).toMatchObject({ ok: true })
  }
})

test('the world does a step once however often it is asked, and tells what it made', async () => {
  const orcs = { creature: 'orc', count: '40', region: 'Yew' }
  const first = await perform('shard.spawn', orcs, { key: 'one' })
  expect(first).toMatchObject({ kind: 'done', resources: [{ kind: 'spawn', payload: { count: 40 } }] })
  expect(await perform('shard.spawn', orcs, { key: 'one' })).toEqual(first)
  expect(await perform('shard.spawn', orcs, { key: 'two' })).not.toEqual(first)
  expect(said).toHaveLength(2)
  expect(actionOf('shard.spawn').cost({ count: 40 })).toEqual({ ok: true, cost: { creatures: 40 } })
})

test('the world tells who fought in a region, and scores them by what was spawned there', async () => {
  await perform('shard.spawn', { creature: 'orc', count: 40, region: 'Minoc' }, { key: 'minoc' })
  await perform('shard.spawn', { creature: 'orc', count: 7, region: 'Vesper' }, { key: 'vesper' })
  const counted = await perform('shard.count-heads', { region: 'Minoc' }, { key: 'heads' })
  const scores = counted.kind === 'done' ? counted.participants.map(({ memberKey, score }) => [memberKey, score]) : []
  expect(scores).toEqual([
    ['anya', 16],
    ['bram', 8],
    ['cyra', 8],
    ['dorn', 4],
    ['elis', null],
  ])
  expect(said.at(-1)).toContain('anya 16, bram 8, cyra 8, dorn 4, elis watched')
})

test('the world does nothing in a verification', async () => {
  await perform('shard.spawn', { creature: 'orc', count: 1, region: 'Yew' }, { verify: true })
  await perform('shard.portal', { region: 'Yew' }, { verify: true })
  await perform('shard.proclaim', { text: 'Hear!' }, { verify: true })
  expect(await perform('shard.count-heads', { region: 'Yew' }, { verify: true })).toMatchObject({ participants: [] })
  expect(said).toEqual([])
})

test.each([
  ['by what the step answered', 'portal'],
  ['by the key of a step that was interrupted', '@step'],
])('the world takes back what it made, %s, once', async (_name, kind) => {
  const made = await perform('shard.portal', { region: 'Yew' }, { key: kind })
  const ref = made.kind === 'done' && kind === 'portal' ? (made.resources[0]?.ref ?? '') : 'step_1'
  const request = {
    resource: { id: 'res_1', kind, ref, payload: null, memberKey: null },
    runId: 'run_1',
    stepId: 'step_1',
    scope: '',
    idempotencyKey: kind,
  }
  const context = { signal: new AbortController().signal, log() {} }
  expect(actionOf('shard.portal').revert?.(request, context)).toEqual({ ok: true })
  expect(actionOf('shard.portal').revert?.(request, context)).toEqual({ ok: true })
  expect(said.filter((line) => line.includes('gone again'))).toHaveLength(1)
})

test('the trigger takes what a game server says of a slain boss', () => {
  const slain = registry.trigger('shard.boss-slain')
  expect(slain?.checkPayload({ boss: 'Orc Lord', level: 7 })).toEqual([])
  expect(slain?.checkPayload({ boss: 'Orc Lord' }).map(({ path }) => path)).toEqual(['level'])
})
