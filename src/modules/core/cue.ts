import { z } from 'zod'
import { defineAction } from '../module.ts'
import type { Targets } from '../targets.ts'
import { targetName } from './target-name.ts'

/** How long a person's cue may be held up by telling a channel of it. */
const NOTIFY_MS = 3_000

/** Posts an instruction and waits for a person. */
export const cue = (targets: Targets) =>
  defineAction({
    id: 'core.cue',
    label: 'Cue a person',
    description:
      'Posts an instruction and stops until a person confirms or skips it; tells a named target of it if asked.',
    version: 1,
    // What was to be done by hand must not be passed over: it pauses the run.
    risk: 'change',
    budgetMs: 10_000,
    params: z.strictObject({
      instruction: z.string().trim().min(1),
      notify: targetName(targets, (name) => targets.announceProblem(name, '')).optional(),
    }),
    supportsVerify: true,
    async perform({ params: { instruction, notify }, runId, stepId, scope, idempotencyKey, verify }, { signal, log }) {
      if (notify !== undefined && !verify) {
        const notice = { message: instruction, runId, stepId, scope }
        const told = await targets.announce(notify, notice, { idempotencyKey, signal, timeoutMs: NOTIFY_MS })
        // The cue is open in the console whatever became of this.
        if (!told.ok) log(`The cue was posted, but nobody was told of it: ${told.error}`, 'warn')
      }
      return { ok: true, await: 'human', instruction }
    },
  })
