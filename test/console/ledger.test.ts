import { describe, expect, test } from 'vitest'
import { TOKEN } from '../crash/server-process.ts'
import { eventually } from '../support/eventually.ts'
import { browserPath, findings, NO_BROWSER, openBrowser, TIME } from './browser.ts'
import { consoleServer } from './console-server.ts'

const tent = (name: string, ropes: 'loose' | 'knotted' | 'endless') => ({
  actionId: 'fair.tent',
  label: `Tent ${name}`,
  params: { name, ropes },
})

describe.skipIf(browserPath === null)('the ledger of a run', TIME, async () => {
  if (browserPath === null) return test.skip(NO_BROWSER)
  const server = await consoleServer()
  const { open } = await openBrowser(server.url)
  type Entry = { ref: string; status: string }
  const ledgerOf = async (id: string) => {
    const { run } = await server.ask(
      'query ($id: ID!) { run(id: $id) { cleanupStatus resources { ref status } log(last: 50) { edges { node { kind detail actor { name } } } } } }',
      { id },
    )
    return run
  }
  /** Waits until the resource of this name is in this state. */
  const until = (id: string, ref: string, status: string) =>
    eventually(async () => {
      const { resources } = await ledgerOf(id)
      expect(resources.find((entry: Entry) => entry.ref === ref)).toMatchObject({ status })
    })
  const openLedger = async (id: string, token: string) => {
    const page = await open({ token, path: `/runs/${id}` })
    await page.getByRole('tab', { name: 'Ledger' }).click()
    return { page, row: (name: string) => page.getByRole('row').filter({ hasText: name }) }
  }

  test('what could not be taken back is left there with a reason, by an admin alone', async () => {
    const id = await server.run('left', [{ key: 'fair', steps: [tent('north', 'loose'), tent('south', 'knotted')] }])
    await until(id, 'south', 'FAILED')
    const { token: moderator } = await server.tokenFor('Mo', 'MODERATOR')
    const seen = await openLedger(id, moderator)
    await seen.row('south').getByText('Could not be taken back').waitFor()
    await seen.row('south').getByText('the ropes are knotted').waitFor()
    expect(await seen.page.getByRole('button', { name: 'Leave it …' }).count()).toBe(0)

    const { token: admin } = await server.tokenFor('Ada', 'ADMIN')
    const { page, row } = await openLedger(id, admin)
    await row('north').getByText('Taken back').waitFor()
    await row('south').getByRole('button', { name: 'Leave it …' }).click()
    expect(await row('north').getByRole('button').count()).toBe(0)
    const dialog = page.getByRole('dialog', { name: 'Leave tent south in the world?' })
    await dialog.getByRole('button', { name: 'Leave it there' }).click()
    await dialog.getByText('Say why: who reads the log later will ask.').waitFor()
    expect(await findings(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Leave it', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    await until(id, 'south', 'FAILED')

    await row('south').getByRole('button', { name: 'Leave it …' }).click()
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('The scouts take it down.')
    await dialog.getByRole('button', { name: 'Leave it there' }).click()
    await row('south').getByText('Left there').waitFor()
    await page.getByRole('button', { name: 'Leave it …' }).waitFor({ state: 'detached' })
    await seen.row('south').getByText('Left there').waitFor()
    expect(await findings(page)).toEqual([])
    const { cleanupStatus, log } = await ledgerOf(id)
    expect(cleanupStatus).toBe('CLEAN')
    const lines = log.edges.map(({ node }: { node: { detail: { reason?: string }; actor: { name: string } } }) => node)
    expect(lines.find(({ detail }: { detail: { reason?: string } }) => detail.reason !== undefined)).toMatchObject({
      actor: { name: 'Ada' },
      detail: { reason: 'The scouts take it down.' },
    })
  })

  test('nothing may be left there while the cleanup goes on', async () => {
    const id = await server.run('going-on', [
      { key: 'fair', steps: [tent('west', 'endless'), tent('east', 'knotted')] },
    ])
    await until(id, 'east', 'FAILED')
    const { page, row } = await openLedger(id, TOKEN)
    await row('east').getByText('Could not be taken back').waitFor()
    await row('west').getByText('Being taken back').waitFor()
    expect((await ledgerOf(id)).cleanupStatus).toBe('PENDING')
    expect(await page.getByRole('button', { name: 'Leave it …' }).count()).toBe(0)
  })
})
