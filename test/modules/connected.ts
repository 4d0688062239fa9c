import { onTestFinished } from 'vitest'
import type { Clock } from '../../src/domain/clock.ts'
import { callAction } from '../../src/modules/call.ts'
import type { Envelope } from '../../src/modules/module.ts'
import { Registry } from '../../src/modules/registry.ts'
import { RemoteModules } from '../../src/modules/remote.ts'
import { systemClock } from '../../src/runner/clock.ts'
import { SECRET } from './harbour.ts'

export type Connected = { registry: Registry; logged: string[]; remote: RemoteModules }

/** Asks a world for its manifest, as a server does, until the test ends. */
export async function connect(
  url: string,
  { secret = SECRET, clock = systemClock as Clock, manifestMs = 5_000 } = {},
): Promise<Connected> {
  const registry = new Registry()
  const logged: string[] = []
  const remote = new RemoteModules({
    modules: [{ url, secret }],
    registry,
    clock,
    manifestMs,
    log: (level, message) => void logged.push(`${level}: ${message}`),
  })
  onTestFinished(() => remote.stop())
  await remote.start()
  return { registry, logged, remote }
}

export function actionOf({ registry }: Connected, id: string) {
  const action = registry.action(id)
  if (action === undefined) throw new Error(`${registry.whyMissing(id)} ${JSON.stringify(registry.failures())}`)
  return action
}

export const envelope: Envelope = {
  runId: 'run_1',
  stepId: 'step_1',
  scope: 'north',
  params: { ship: 'cog', count: 3 },
  actor: { kind: 'user', name: 'Mira' },
  idempotencyKey: 'key-1',
  verify: false,
}

type Options = { id?: string; clock?: Clock; signal?: AbortSignal }

/** Calls an action as the runner does. */
export const perform = (
  connected: Connected,
  given: Partial<Envelope> = {},
  { id = 'harbour.moor', clock = systemClock, signal = new AbortController().signal }: Options = {},
) => callAction(actionOf(connected, id), { ...envelope, ...given }, { signal, clock, censor: (text) => text, log() {} })
