import { describe, expect, test } from 'vitest'
import { cuttable } from '../cli/cuttable.ts'
import { TOKEN } from '../crash/server-process.ts'
import { eventually } from '../support/eventually.ts'
import { browserPath, findings, NO_BROWSER, openBrowser, TIME, tabTo } from './browser.ts'
import { consoleServer, cue } from './console-server.ts'

/**
 * Notifications that the page has shown, in a global: they are asked for once they are there, as Chromium forgets one that
 * it is asked for while it is being drawn.
 */
const COUNT_SHOWN = `{
  const { prototype } = ServiceWorkerRegistration
  const { showNotification } = prototype
  globalThis.shown = 0
  prototype.showNotification = function (...args) {
    return showNotification.apply(this, args).then(() => { globalThis.shown += 1 })
  }
}`

describe.skipIf(browserPath === null)('cues', TIME, async () => {
  if (browserPath === null) return test.skip(NO_BROWSER)
  const server = await consoleServer()
  const { open } = await openBrowser(server.url)
  const waits = (id: string) => server.until(id, ({ cues }) => cues.length === 1)

  test('somebody signs in, and Now shows what runs and its cue', async () => {
    const page = await open({ token: null })
    await page.getByText('cuelight token create').waitFor()
    await page.getByRole('textbox', { name: 'Token' }).fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('The server does not take this token').waitFor()
    expect(await findings(page)).toEqual([])
    await page.getByRole('textbox', { name: 'Token' }).fill(TOKEN)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Nothing is live').waitFor()
    expect(await findings(page)).toEqual([])
    await page.getByText('Live', { exact: true }).first().waitFor()

    await server.run('signed-in', [{ key: 'doors', steps: [cue('Welcome', 'Welcome everybody.')] }])
    await page.getByRole('heading', { name: 'Welcome everybody.' }).waitFor()
    await page.getByRole('link', { name: 'Event signed-in' }).last().waitFor()
    await page.getByText('Waits for a person: Welcome everybody.').waitFor()
    await eventually(async () => expect(await page.title()).toBe('(1) Now · Cuelight'))
    await eventually(async () => expect(await page.getByText('New cue: Welcome everybody.').count()).toBe(1))

    await page.getByRole('button', { name: /your menu/ }).click()
    await page.getByRole('menuitem', { name: /forget/ }).click()
    await page.getByRole('textbox', { name: 'Token' }).waitFor()
    expect(await page.evaluate(`localStorage.getItem('cuelight.token')`)).toBeNull()
  })

  test('on a phone a cue is claimed, and confirmed with a note', async () => {
    const id = await server.run('phone', [{ key: 'doors', steps: [cue('Gate', 'Open the gate.')] }])
    const { token } = await server.tokenFor('Mira', 'MODERATOR')
    const page = await open({ token, path: '/cues', phone: true })
    const card = page.getByRole('article', { name: 'Open the gate.' })
    await card.getByText('Nobody has it yet').waitFor()
    await card.getByRole('button', { name: 'I have it' }).tap()
    await card.getByText('You have it').waitFor()
    const done = await card.getByRole('button', { name: 'Done' }).boundingBox()
    expect(done?.height).toBeGreaterThanOrEqual(60)
    expect(done?.width).toBeGreaterThan(300)
    await card.getByRole('button', { name: 'Note' }).tap()
    await card.getByLabel('Note').fill('All are in.')
    await card.getByRole('button', { name: 'Done' }).tap()
    await page.getByText('No cue waits for a person').waitFor()
    await server.until(id, ({ steps }) => steps[0]?.status === 'DONE' && steps[0].note === 'All are in.')
  })

  test('a new cue is a notification where that is switched on', async () => {
    const page = await open({ token: TOKEN, path: '/cues' })
    await page.context().grantPermissions(['notifications'], { origin: server.url })
    await page.getByText('No cue waits for a person').waitFor()
    await page.getByRole('switch', { name: 'Notification' }).click({ force: true })
    await eventually(async () => {
      expect(await page.evaluate(`localStorage.getItem('cuelight.alarm')`)).toContain('"notification":true')
    })
    await page.evaluate(COUNT_SHOWN)
    await server.run('notified', [{ key: 'doors', steps: [cue('Horn', 'Blow the horn.')] }])
    await eventually(async () => expect(await page.evaluate('shown')).toBe(1))
    const shown = await page.evaluate(
      `navigator.serviceWorker.ready.then((worker) => worker.getNotifications()).then((all) => all.map(({ title, body }) => ({ title, body })))`,
    )
    expect(shown).toEqual([{ title: 'Event notified', body: 'Blow the horn.' }])
  })

  test('a connection that is lost is said, nothing that was written is lost, and the cue is confirmed afterwards', async () => {
    const id = await server.run('cut-off', [
      { key: 'doors', steps: [cue('Lights', 'Turn the lights on.'), cue('Doors', 'Open the doors.')] },
    ])
    await waits(id)
    const page = await open({ token: TOKEN, path: '/cues', phone: true })
    const card = page.getByRole('article', { name: 'Turn the lights on.' })
    await card.getByRole('button', { name: 'Note' }).tap()
    await card.getByLabel('Note').fill('Only half of them.')
    await server.kill()
    await page.getByText('The connection is lost.').waitFor()
    await page.getByText('Offline').waitFor()
    await card.getByRole('button', { name: 'Done' }).tap()
    await card.getByText('The server could not be reached.').waitFor()
    expect(await findings(page)).toEqual([])
    expect(await card.getByLabel('Note').inputValue()).toBe('Only half of them.')
    await server.startAgain()
    await page.getByText('The connection is lost.').waitFor({ state: 'detached' })
    await card.getByRole('button', { name: 'Done' }).tap()
    await page.getByRole('heading', { name: 'Open the doors.' }).waitFor()
    await server.until(id, ({ steps }) => steps[0]?.note === 'Only half of them.')
    await server.ask('mutation ($id: ID!) { cancelRun(input: { id: $id }) { __typename } }', { id })
    await page.getByText('No cue waits for a person').waitFor()
  })

  test('a network that lets nothing through and says nothing is noticed, and what was pressed is told', async () => {
    const id = await server.run('frozen', [{ key: 'doors', steps: [cue('Rope', 'Cut the rope.')] }])
    await waits(id)
    const way = await cuttable(server.url)
    const page = await open({ url: way.url, token: TOKEN, path: '/cues', phone: true })
    const card = page.getByRole('article', { name: 'Cut the rope.' })
    await page.getByText('Live', { exact: true }).waitFor()
    await card.waitFor()
    way.freeze()
    await card.getByRole('button', { name: 'Done' }).tap()
    // The socket asks every ten seconds, and waits for five.
    await page.clock.fastForward(10_100)
    await page.clock.fastForward(5_100)
    await page.getByText('The connection is lost.').waitFor()
    await card.getByText('The server could not be reached.').waitFor()
    way.thaw()
    await page.getByText('The connection is lost.').waitFor({ state: 'detached' })
    await card.getByRole('button', { name: 'Done' }).tap()
    await page.getByText('No cue waits for a person').waitFor()
    await server.until(id, ({ status }) => status === 'COMPLETED')
  })

  test('what cannot be read says so, on a live connection too, and is read by itself when it can be', async () => {
    const page = await open({ token: TOKEN, path: '/cues', phone: true })
    await page.getByText('No cue waits for a person').waitFor()
    let isRefused = true
    await page.route('**/graphql', (route) =>
      isRefused && route.request().postData()?.includes('query OpenCues') ? route.abort() : route.continue(),
    )
    const id = await server.run('unread', [{ key: 'doors', steps: [cue('Bell', 'Ring the bell.')] }])
    await waits(id)
    await page.getByText(/^What you see is from .*; it cannot be read again\.$/).waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    expect(await findings(page)).toEqual([])
    isRefused = false
    await page.getByRole('heading', { name: 'Ring the bell.' }).waitFor()
    await page.getByText(/^What you see is from/).waitFor({ state: 'detached' })

    isRefused = true
    await page.reload()
    await page.getByRole('main').getByText('The server could not be reached.').waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    isRefused = false
    await page.getByRole('heading', { name: 'Ring the bell.' }).waitFor()
  })

  test('a page that was asleep connects anew when it is looked at, and shows what is then true', async () => {
    const page = await open({ token: TOKEN, path: '/cues', phone: true })
    await page.getByText('Live', { exact: true }).waitFor()
    const look = (state: 'hidden' | 'visible') =>
      page.evaluate(`Object.defineProperty(document, 'visibilityState', { get: () => '${state}', configurable: true });
        document.dispatchEvent(new Event('visibilitychange'))`)
    await look('hidden')
    await page.clock.fastForward(20_000)
    const connects = page.waitForEvent('websocket')
    await look('visible')
    await connects
    await server.run('woken', [{ key: 'doors', steps: [cue('Drum', 'Beat the drum.')] }])
    await page.getByRole('heading', { name: 'Beat the drum.' }).waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
  })

  test('with the keyboard alone one signs in, skips a cue with a reason and confirms the next', async () => {
    const id = await server.run('keys', [
      { key: 'doors', steps: [cue('Music', 'Start the music.'), cue('Curtain', 'Raise the curtain.')] },
    ])
    await waits(id)
    const page = await open({ token: null, path: '/cues' })
    await page.getByRole('textbox', { name: 'Token' }).waitFor()
    await tabTo(page, 'Token')
    await page.keyboard.type(TOKEN)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Start the music.' }).waitFor()
    await tabTo(page, 'Skip …')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Skip "Music"?' }).waitFor()
    await page.keyboard.press('Tab')
    await tabTo(page, 'Skip it')
    await page.keyboard.press('Enter')
    await page.getByText('Say why: who reads the log later will ask.').waitFor()
    await page.getByRole('textbox', { name: 'Reason' }).focus()
    await page.keyboard.type('The band plays.')
    await tabTo(page, 'Skip it')
    await page.keyboard.press('Enter')
    await page.getByText('Skipped: Music').waitFor()
    await page.getByRole('heading', { name: 'Raise the curtain.' }).waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await tabTo(page, 'Done')
    await page.keyboard.press('Enter')
    await server.until(id, ({ status, steps }) => status === 'COMPLETED' && steps[0]?.note === 'The band plays.')
  })

  test('who only looks on is offered nothing, and a token that is revoked is asked for again', async () => {
    const id = await server.run('looking-on', [{ key: 'doors', steps: [cue('Bell', 'Ring the bell.')] }])
    await waits(id)
    const { id: tokenId, token } = await server.tokenFor('Vera', 'VIEWER')
    const page = await open({ token: null, path: '/cues' })
    await page.getByRole('textbox', { name: 'Token' }).fill(token)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('You look on: a moderator or an admin does this.').waitFor()
    expect(await page.getByRole('button', { name: 'Done' }).count()).toBe(0)
    await server.ask('mutation ($id: ID!) { revokeApiToken(input: { id: $id }) { __typename } }', { id: tokenId })
    await page.getByText('The server does not take this token').waitFor()
    await page.getByRole('textbox', { name: 'Token' }).waitFor()
  })
})
