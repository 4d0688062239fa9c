import { type Answer, defineAction, defineModule } from '../../src/index.ts'

/** What its failures let slip. */
export const SLIPPED = 'whsec_a-secret-that-an-action-says-aloud'

const tried = new Set<string>()
const action = (id: string, perform: (key: string) => Answer) =>
  defineAction({
    id: `watched.${id}`,
    label: id,
    version: 1,
    risk: 'change',
    budgetMs: 5_000,
    params: { type: 'object' },
    perform: ({ idempotencyKey }) => perform(idempotencyKey),
  })

// biome-ignore lint/style/noDefaultExport: a module is a default export
export default defineModule({
  id: 'watched',
  actions: [
    action('flaky', (key) => {
      if (tried.has(key)) return { ok: true }
      tried.add(key)
      return { ok: false, error: `not yet: ${SLIPPED}` }
    }),
    action('fail', () => ({ ok: false, retry: false, error: SLIPPED })),
    action('off', () => ({ ok: true })),
  ],
})
