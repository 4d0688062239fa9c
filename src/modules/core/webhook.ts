import { z } from 'zod'
import { defineAction } from '../module.ts'
import type { Targets } from '../targets.ts'
import { targetName } from './target-name.ts'

/** Sends a signed request to a named target. */
export const webhook = (targets: Targets) =>
  defineAction({
    id: 'core.webhook',
    label: 'Send a webhook',
    description:
      'Posts JSON to a named GENERIC target, signed as the Standard Webhooks specification says, with an Idempotency-Key.',
    version: 1,
    risk: 'change',
    budgetMs: 15_000,
    params: z.strictObject({
      target: targetName(targets, (name) => targets.sendProblem(name)),
      body: z.record(z.string(), z.unknown()),
    }),
    supportsVerify: true,
    async perform({ params: { target, body }, idempotencyKey, verify }, { signal }) {
      const problem = targets.sendProblem(target)
      if (problem !== null) return { ok: false, retry: false, error: problem }
      return verify ? { ok: true } : targets.send(target, body, { idempotencyKey, signal })
    },
  })
