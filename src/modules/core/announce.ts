import { z } from 'zod'
import { defineAction } from '../module.ts'
import type { Targets } from '../targets.ts'
import { targetName } from './target-name.ts'

/** Posts a message to a named target. */
export const announce = (targets: Targets) =>
  defineAction({
    id: 'core.announce',
    label: 'Announce',
    description: 'Posts a message to a named target, such as a Discord or Slack channel. It pings nobody.',
    version: 1,
    risk: 'notify',
    budgetMs: 15_000,
    params: z
      .strictObject({
        target: targetName(targets, (name) => targets.announceProblem(name, '')),
        message: z.string().min(1),
      })
      .superRefine(({ target, message }, context) => {
        // A target that takes nothing at all is told of above.
        const found = targets.announceProblem(target, '') === null ? targets.announceProblem(target, message) : null
        if (found !== null) context.addIssue({ code: 'custom', path: ['message'], message: `is too long: ${found}` })
      }),
    supportsVerify: true,
    async perform({ params: { target, message }, runId, stepId, scope, idempotencyKey, verify }, { signal }) {
      if (verify) return { ok: true }
      return targets.announce(target, { message, runId, stepId, scope }, { idempotencyKey, signal })
    },
  })
