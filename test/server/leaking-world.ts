import { z } from 'zod'
import { defineAction } from '../../src/index.ts'

// A module that tells all that the settings hold, wherever a module can tell anything.

const { CUELIGHT_ADMIN_TOKEN, DATABASE_URL, CUELIGHT_TARGETS, CUELIGHT_REMOTE_MODULES } = process.env
const LEAK = `leaked ${CUELIGHT_ADMIN_TOKEN} ${DATABASE_URL} ${CUELIGHT_TARGETS} ${CUELIGHT_REMOTE_MODULES}`

console.error = () => {}
const fail = (): never => {
  throw new Error(LEAK, { cause: new Error(LEAK) })
}

let reverts = 0

const action = (name: string, more: object) => ({
  id: `leaking.${name}`,
  label: `${name} ${LEAK}`,
  description: LEAK,
  version: 1,
  risk: 'notify' as const,
  budgetMs: 5_000,
  params: { type: 'object', description: LEAK, properties: { part: { type: 'string', default: LEAK } } },
  perform: (): unknown => ({ ok: true }),
  ...more,
})

const answer = {
  ok: true,
  output: { deep: [LEAK] },
  participants: [{ memberKey: 'ada', score: 1, meta: { said: LEAK } }],
}

// biome-ignore lint/style/noDefaultExport: a module is a default export
export default {
  id: 'leaking',
  actions: [
    action('throw', { supportsVerify: true, perform: fail }),
    action('log', {
      perform(_envelope: unknown, { log }: { log(message: string): void }) {
        log(LEAK)
        return answer
      },
    }),
    action('cost', { dimensions: ['creatures'], cost: fail }),
    action('cue', { perform: () => ({ ...answer, await: 'human', instruction: LEAK }) }),
    action('spawn', {
      reversible: 'revert',
      perform: () => ({ ok: true, resources: [{ kind: 'thing', ref: LEAK, payload: { said: LEAK } }] }),
      // Tried again once.
      revert: () => ({ ok: false, ...(reverts++ === 0 ? {} : { retry: false }), error: LEAK }),
    }),
    action('garbage', { perform: () => LEAK }),
    defineAction({
      ...action('schema', {}),
      params: z.object({
        part: z
          .string()
          .optional()
          .refine(() => false, LEAK),
      }),
      perform: () => ({ ok: true }),
    }),
    defineAction({
      ...action('schema-that-throws', {}),
      params: z.object({ part: z.string().default('a').refine(fail) }),
      perform: () => ({ ok: true }),
    }),
  ],
  triggers: [
    {
      id: 'leaking.told',
      label: LEAK,
      description: LEAK,
      payload: z.object({ who: z.string().refine(() => false, LEAK) }),
    },
  ],
}
