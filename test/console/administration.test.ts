import { describe, expect, test } from 'vitest'
import { TOKEN } from '../crash/server-process.ts'
import { browserPath, findings, NO_BROWSER, openBrowser, TIME } from './browser.ts'
import { consoleServer } from './console-server.ts'

describe.skipIf(browserPath === null)('the pages of an admin', TIME, async () => {
  if (browserPath === null) return test.skip(NO_BROWSER)
  const server = await consoleServer()
  const { open } = await openBrowser(server.url)

  test('actions say what they take, and are capped and switched off with a reason', async () => {
    const page = await open({ token: TOKEN })
    await page.getByRole('button', { name: /your menu/ }).click()
    await page.getByRole('menuitem', { name: /forget/ }).waitFor()
    expect(await findings(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'More' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: /^Actions/ }).waitFor()
    expect(await findings(page)).toEqual([])
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('textbox', { name: 'Search actions and triggers' }).fill('balloon')
    await page.getByRole('heading', { name: 'core' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: /fair\.balloons/ }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('a whole number, from 1 to 500').waitFor()
    await page.getByText('a list, each "red" or "green", at least 1 entries').waitFor()
    await page.getByText('It has 1 min 30 s to answer.').waitFor()
    await page.getByText('No published event uses it.').waitFor()
    expect(await findings(page)).toEqual([])

    await page.getByRole('button', { name: 'Change setting …' }).click()
    const dialog = page.getByRole('dialog', { name: 'Setting of "Let balloons go"' })
    await dialog.getByRole('button', { name: 'Set it' }).click()
    await dialog.getByText('Nothing is changed yet.').waitFor()
    await dialog.getByRole('textbox', { name: /^The most balloons/ }).fill('40')
    await dialog.getByRole('switch', { name: 'It may be called' }).click({ force: true })
    await dialog.getByRole('button', { name: 'Switch it off' }).click()
    await dialog.getByText('Say why: who reads the audit log later will ask.').waitFor()
    expect(await findings(page)).toEqual([])
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('A storm is coming.')
    await dialog.getByRole('button', { name: 'Switch it off' }).click()
    await page.getByText('A run may cause 40 balloons at most.').waitFor()
    await page.getByText('Switched off', { exact: true }).waitFor()
    const { auditLog } = await server.ask('{ auditLog(first: 1) { edges { node { action subject detail } } } }')
    expect(auditLog.edges[0].node).toEqual({
      action: 'action.setting',
      subject: 'fair.balloons',
      detail: { enabled: false, caps: [{ dimension: 'balloons', cap: 40 }], reason: 'A storm is coming.' },
    })
  })

  test('who only looks on is offered no setting and no page of admins', async () => {
    const { token } = await server.tokenFor('Vera', 'VIEWER')
    const page = await open({ token, path: '/actions', phone: true })
    await page.getByRole('button', { name: /fair\.bell/ }).tap()
    await page.getByText('text, not empty').waitFor()
    await page.getByRole('button', { name: /fair\.balloons/ }).tap()
    await page.getByText('How many at once.', { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'Change setting …' }).count()).toBe(0)
    await page.getByRole('button', { name: 'More' }).tap()
    await page.getByRole('menuitem', { name: /^Actions/ }).waitFor()
    expect(await page.getByRole('menuitem').count()).toBe(1)
  })
})
