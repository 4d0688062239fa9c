import { z } from 'zod'
import { parseDuration } from '../../domain/duration.ts'
import { LONGEST_HOLD_SECONDS } from '../../domain/outcome.ts'
import { defineAction } from '../module.ts'

const duration = z
  .string()
  .superRefine((text, context) => {
    const parsed = parseDuration(text, { max: LONGEST_HOLD_SECONDS * 1000 })
    if (!parsed.ok) context.addIssue({ code: 'custom', message: parsed.problem })
  })
  .describe('90s, 30m, 2h, 1h30m, 1d or ISO 8601 like PT30M; at most 7 days.')

/** Holds what comes next. It does not sleep: the hold is written with its result and outlives a crash. */
export const wait = defineAction({
  id: 'core.wait',
  label: 'Wait',
  description: 'Holds the next step for a while: 90s, 30m, 1h30m; at most 7 days.',
  version: 1,
  // A wait that fails must not let what follows happen at once: it pauses the run.
  risk: 'change',
  budgetMs: 5_000,
  params: z.strictObject({ for: duration }),
  supportsVerify: true,
  perform({ params }) {
    const parsed = parseDuration(params.for)
    return parsed.ok
      ? { ok: true, holdFor: parsed.ms / 1000 }
      : { ok: false, retry: false, error: `for ${parsed.problem}` }
  },
})
