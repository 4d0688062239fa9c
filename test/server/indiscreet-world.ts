import { defineAction, defineModule } from '../../src/index.ts'

/** What the settings of the test hold. */
export const SECRETS = {
  token: 'the-admin-token-of-the-tests',
  channel: 'https://discord.example/api/webhooks/4711/a-very-secret-path',
  signature: `whsec_${Buffer.from('a secret of twenty-four bytes').toString('base64')}`,
}

const said = `401 from ${SECRETS.channel} (${new URL(SECRETS.channel).pathname}), signed with ${SECRETS.signature}, as Bearer ${SECRETS.token} at https://me:my-password@db.example`

// biome-ignore lint/style/noDefaultExport: a module is a default export
export default defineModule({
  id: 'indiscreet',
  actions: [
    defineAction({
      id: 'indiscreet.fail',
      label: 'Fail',
      version: 1,
      risk: 'change',
      budgetMs: 5_000,
      params: { type: 'object' },
      perform(_envelope, { log }) {
        log(`The ring bearer Galadriel knows: ${said}`)
        return { ok: false, retry: false, error: said }
      },
    }),
  ],
})
