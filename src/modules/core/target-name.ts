import { z } from 'zod'
import type { Targets } from '../targets.ts'

/** A param that names a target for which `problem` has nothing to say; forms offer the names there are. */
export function targetName(targets: Targets, problem: (name: string) => string | null) {
  const names = targets.names()
  return z
    .string()
    .superRefine((name, context) => {
      const found = problem(name)
      if (found !== null) context.addIssue({ code: 'custom', message: `cannot be used: ${found}` })
    })
    .meta({ description: 'A name from CUELIGHT_TARGETS.', ...(names.length > 0 ? { examples: names } : {}) })
}
