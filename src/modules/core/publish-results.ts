import { z } from 'zod'
import { defineAction } from '../module.ts'

/** Ranks the participants and shows them to anyone. That is written with the step's result, so that it is done once. */
export const publishResults = {
  ...defineAction({
    id: 'core.publish-results',
    label: 'Publish the results',
    description: 'Ranks the participants, best score first, and shows the results to anyone.',
    version: 1,
    risk: 'change',
    budgetMs: 5_000,
    params: z.strictObject({}),
    supportsVerify: true,
    perform: () => ({ ok: true }),
  }),
  publishesResults: true,
}
