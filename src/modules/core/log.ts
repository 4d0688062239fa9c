import { z } from 'zod'
import { defineAction } from '../module.ts'

/** Writes a line into the run log. */
export const log = defineAction({
  id: 'core.log',
  label: 'Write to the log',
  description: 'A line in the run log, for those who read it later.',
  version: 1,
  risk: 'notify',
  budgetMs: 5_000,
  params: z.strictObject({ message: z.string().min(1) }),
  supportsVerify: true,
  perform({ params }, context) {
    context.log(params.message)
    return { ok: true }
  },
})
