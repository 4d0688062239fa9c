import { defineAction, defineModule, defineTrigger } from '../../src/index.ts'

const tried = new Set<string>()

// biome-ignore lint/style/noDefaultExport: a module is a default export
export default defineModule({
  id: 'quiz',
  actions: [
    defineAction({
      id: 'quiz.lights',
      label: 'lights',
      version: 1,
      risk: 'change',
      budgetMs: 5_000,
      params: { type: 'object' },
      perform({ idempotencyKey }) {
        if (tried.has(idempotencyKey)) return { ok: true }
        tried.add(idempotencyKey)
        return { ok: false, retry: false, error: 'the fuse is blown' }
      },
    }),
  ],
  triggers: [
    defineTrigger({
      id: 'quiz.answered',
      label: 'answered',
      payload: { type: 'object', required: ['points'], properties: { points: { type: 'integer' } } },
    }),
  ],
})
