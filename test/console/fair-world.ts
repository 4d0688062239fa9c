import { defineAction, defineModule, defineTrigger } from '../../src/index.ts'

/** A module whose action counts something, and asks for all kinds of things. */
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
  ],
  triggers: [
    defineTrigger({
      id: 'fair.bell',
      label: 'The bell rings',
      payload: { type: 'object', required: ['tower'], properties: { tower: { type: 'string', minLength: 1 } } },
    }),
  ],
})
