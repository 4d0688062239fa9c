import { defineAction, defineModule, defineTrigger } from '../../src/index.ts'

/** A module with an action that counts something and asks for all kinds of things, and one that is not always taken back. */
// biome-ignore lint/style/noDefaultExport: a module is a default export
export default defineModule({
  id: 'fair',
  actions: [
    defineAction({
      id: 'fair.balloons',
      label: 'Let balloons go',
      description: 'Balloons rise over the fair.',
      version: 3,
      risk: 'irreversible',
      budgetMs: 90_000,
      dimensions: ['balloons'],
      cost: ({ count }) => ({ balloons: Number(count) }),
      params: {
        type: 'object',
        required: ['count'],
        properties: {
          count: { type: 'integer', minimum: 1, maximum: 500, description: 'How many at once.' },
          colours: { type: 'array', items: { enum: ['red', 'green'] }, minItems: 1 },
        },
      },
      perform: () => ({ ok: true }),
    }),
    defineAction({
      id: 'fair.tent',
      label: 'Pitch a tent',
      version: 1,
      risk: 'change',
      budgetMs: 300_000,
      reversible: 'revert',
      params: {
        type: 'object',
        required: ['name', 'ropes'],
        properties: { name: { type: 'string' }, ropes: { enum: ['loose', 'knotted', 'endless'] } },
      },
      perform: ({ params: { name, ropes } }) => ({
        ok: true,
        resources: [{ kind: 'tent', ref: String(name), payload: { ropes } }],
      }),
      revert({ resource: { payload } }, { signal }) {
        if (payload?.ropes === 'loose') return { ok: true }
        if (payload?.ropes === 'knotted') return { ok: false, retry: false, error: 'the ropes are knotted' }
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      },
    }),
  ],
  triggers: [
    defineTrigger({
      id: 'fair.bell',
      label: 'The bell rings',
      payload: { type: 'object', required: ['tower'], properties: { tower: { type: 'string', minLength: 1 } } },
    }),
  ],
})
