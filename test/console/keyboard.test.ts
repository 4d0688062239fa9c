import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { TOKEN } from '../crash/server-process.ts'
import { browserPath, focusedOn, NO_BROWSER, openBrowser, TIME, tabTo, untilFocusOn } from './browser.ts'
import { consoleServer, cue } from './console-server.ts'

/** More stops than any page of these has. */
const STOPS = 150

describe.skipIf(browserPath === null)('with the keyboard alone', TIME, async () => {
  if (browserPath === null) return test.skip(NO_BROWSER)
  const server = await consoleServer()
  const { open } = await openBrowser(server.url)
  const press = async (page: Page, ...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  const go = async (page: Page, name: string | RegExp, key?: 'Shift+Tab') => {
    await tabTo(page, name, key)
    await press(page, 'Enter')
  }

  test('an operator signs in, starts a run, pauses and resumes it, confirms its cue and sees its end', async () => {
    await server.publish('walk', {
      spec: { schedule: { manual: true }, phases: [{ key: 'doors', steps: [cue('Bell', 'Ring the bell.')] }] },
    })
    const page = await open({ token: null })
    await page.getByRole('textbox', { name: 'Token' }).waitFor()
    await tabTo(page, 'Token')
    await page.keyboard.type(TOKEN)
    await press(page, 'Enter')
    await page.getByText('Nothing is live').waitFor()

    await press(page, 'Tab')
    expect(await focusedOn(page)).toBe('Skip to the page')
    const skip = await page.getByRole('link', { name: 'Skip to the page' }).boundingBox()
    expect(skip?.y).toBeGreaterThanOrEqual(0)
    await press(page, 'Enter')
    expect(await page.evaluate('document.activeElement.id')).toBe('main')
    await go(page, 'Start a run')
    await page.getByRole('heading', { name: 'Start a run' }).waitFor()
    // Another page begins at its top, and not in the menu.
    await press(page, 'Tab')
    await untilFocusOn(page, 'Which event')
    await page.keyboard.type('walk')
    await go(page, 'Event walk')
    await page.getByRole('heading', { name: 'Start Event walk' }).waitFor()
    await go(page, 'Start it now')
    await page.waitForURL(/\/runs\/run_/)
    await page.getByRole('heading', { name: 'Ring the bell.' }).waitFor()

    await go(page, 'Pause …')
    const dialog = page.getByRole('dialog', { name: 'Pause this run?' })
    await untilFocusOn(page, /^Reason/)
    for (const key of ['Tab', 'Tab', 'Tab', 'Tab', 'Shift+Tab', 'Shift+Tab', 'Shift+Tab']) {
      await press(page, key)
      expect(await page.evaluate<boolean>(`document.activeElement.closest('[role=dialog]') !== null`)).toBe(true)
    }
    await press(page, 'Escape')
    await dialog.waitFor({ state: 'detached' })
    await untilFocusOn(page, 'Pause …')
    await press(page, 'Enter')
    await untilFocusOn(page, /^Reason/)
    await page.keyboard.type('The rope is stuck.')
    await go(page, 'Pause it')
    await dialog.waitFor({ state: 'detached' })
    // What was pressed is gone; what stands in its place has the focus.
    await page.getByRole('button', { name: 'Resume …' }).waitFor()
    await untilFocusOn(page, 'Resume …')
    await press(page, 'Enter')
    await untilFocusOn(page, /^Reason/)
    await page.keyboard.type('A new rope is here.')
    await go(page, 'Resume it')
    await page.getByRole('button', { name: 'Pause …' }).waitFor()
    await untilFocusOn(page, 'Pause …')

    await go(page, 'I have it')
    await page.getByText('You have it').waitFor()
    await untilFocusOn(page, 'Note')
    await press(page, 'Enter')
    await page.getByRole('textbox', { name: 'Note' }).waitFor()
    await page.keyboard.type('It rang.')
    await go(page, 'Done')
    await page.getByText('It is done.').waitFor()
    await page.getByRole('heading', { name: 'Ring the bell.' }).waitFor({ state: 'detached' })
    await untilFocusOn(page, /./)
    const { runs } = await server.ask(
      '{ runs(first: 1) { edges { node { status log { edges { node { text } } } } } } }',
    )
    const [{ node: run }] = runs.edges
    const log: string[] = run.log.edges.map(({ node }: { node: { text: string } }) => node.text)
    expect(run.status).toBe('COMPLETED')
    for (const said of ['admin paused the run: The rope is stuck.', 'admin resumed the run: A new rope is here.'])
      expect(log.filter((text) => text === said)).toHaveLength(1)
    expect(log.filter((text) => text.includes('It rang.'))).toHaveLength(1)

    await tabTo(page, 'Follow')
    await tabTo(page, 'Log', 'Shift+Tab')
    await press(page, 'ArrowRight')
    await untilFocusOn(page, 'Ledger')
    await press(page, 'ArrowLeft')
    await page.getByRole('option').first().waitFor()
    await tabTo(page, 'Follow')
    await press(page, 'Tab', 'Home', 'ArrowDown')
    await page.getByRole('region', { name: 'Line 2' }).waitFor()
    await press(page, 'Escape')
    await page.getByRole('region', { name: 'Line 2' }).waitFor({ state: 'detached' })
    // Nothing keeps it: Tab leads through the page and out of it.
    const stops = await onceAround(page)
    expect(stops.length).toBeLessThan(STOPS)
    expect(stops).toContain('Follow')
  })

  test('an event is written and published', async () => {
    const page = await open({ token: TOKEN, path: '/definitions' })
    await page.getByText('Event walk').waitFor()
    await go(page, 'New definition')
    await untilFocusOn(page, /^Title/)
    await page.keyboard.type('Parade')
    await go(page, 'Create it')
    await page.getByRole('heading', { name: 'Draft of Parade' }).waitFor()
    await go(page, 'Add a step')
    await untilFocusOn(page, /^Action/)
    await page.keyboard.type('wait')
    await page.getByRole('option', { name: 'Wait (core.wait)' }).waitFor()
    // A list that opened looks a timer later which of its options it is at, and forgets where the keys were until then.
    await page.evaluate('new Promise((done) => setTimeout(() => setTimeout(done)))')
    await press(page, 'ArrowDown', 'Enter')
    await tabTo(page, /^for/)
    await page.keyboard.type('90s')
    await page.getByText('Ready to be published').waitFor()
    await page.getByText('Saved', { exact: true }).waitFor()
    await go(page, 'Publish …', 'Shift+Tab')
    await page.getByRole('dialog', { name: 'Publish “Parade” as version 1?' }).waitFor()
    await untilFocusOn(page, 'Publish it')
    await press(page, 'Enter')
    await page.getByRole('dialog', { name: 'Version 1 is published' }).waitFor()
    await untilFocusOn(page, 'Close')
    await press(page, 'Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await untilFocusOn(page, /./)
    await go(page, 'Publish …', 'Shift+Tab')
    await page.getByText('Nothing differs from version 1').waitFor()
    await press(page, 'Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await untilFocusOn(page, 'Publish …')
  })

  test('what can be pressed no more hands the focus on to what is next to it', async () => {
    await server.define('undone', [{ key: 'doors', steps: [cue('Welcome', 'Welcome everybody.')] }])
    const page = await open({ token: TOKEN, path: '/definitions/undone/edit' })
    await page.getByRole('heading', { name: 'Draft of Event undone' }).waitFor()
    await go(page, 'Add a step')
    await untilFocusOn(page, /^Action/)
    await tabTo(page, 'Undo', 'Shift+Tab')
    await press(page, 'Enter')
    await page.getByRole('button', { name: 'Undo', disabled: true }).waitFor()
    await untilFocusOn(page, 'Redo')
    await press(page, 'Enter')
    await page.getByRole('button', { name: 'Redo', disabled: true }).waitFor()
    await untilFocusOn(page, /./)
  })

  test('a button that is done as soon as it let the focus go has it again', async () => {
    const page = await open({ token: TOKEN })
    await page.getByText('Nothing is live').waitFor()
    await tabTo(page, 'Start a run')
    await page.evaluate(`new Promise((resolve) => {
      const link = document.activeElement
      const button = document.createElement('button')
      button.textContent = 'Do it'
      link.after(button)
      button.focus()
      button.addEventListener('focusout', () => {
        setTimeout(() => {
          button.disabled = false
          resolve()
        })
      })
      button.disabled = true
    })`)
    await untilFocusOn(page, 'Do it')
  })

  test('an occurrence is moved, and the focus goes with it', async () => {
    const id = await server.publish('regatta')
    await server.start({ definitionId: id, scheduledFor: '2031-03-04T12:00:00Z' })
    const page = await open({ token: TOKEN, path: '/calendar?view=week&on=2031-03-04' })
    await page.getByRole('button', { name: /Event regatta/ }).waitFor()
    await tabTo(page, /Tuesday, 4 March 2031$/)
    await press(page, 'ArrowDown')
    expect(await focusedOn(page)).toContain('Event regatta')
    await press(page, 'Enter')
    await page.getByRole('dialog', { name: 'Event regatta' }).waitFor()
    await go(page, 'Move …')
    await page.getByRole('dialog', { name: 'Move the start?' }).waitFor()
    await untilFocusOn(page, 'New start')
    await page.keyboard.type('03062031')
    await press(page, 'ArrowRight')
    await page.keyboard.type('090000PM')
    await tabTo(page, /^Reason/)
    await page.keyboard.type('The wind is wrong.')
    await go(page, 'Move it')
    await page.getByText('Thu, 6 Mar 2031, 21:00:00 Berlin').waitFor()
    await untilFocusOn(page, 'Move …')
    await press(page, 'Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page
      .locator('[data-day="2031-03-06"]')
      .getByRole('button', { name: /^21:00.*Event regatta/ })
      .waitFor()
    await untilFocusOn(page, /./)
    expect(await page.evaluate<boolean>(`document.activeElement.closest('[data-day]') !== null`)).toBe(true)
  })
})

/** What Tab comes by from the top of a page until it leaves it, or too much of it. */
async function onceAround(page: Page): Promise<string[]> {
  const stops: string[] = []
  await tabTo(page, 'Skip to the page')
  for (let press = 0; press < STOPS; press += 1) {
    await page.keyboard.press('Tab')
    const focused = await focusedOn(page)
    if (focused === '' || focused === 'Skip to the page') break
    stops.push(focused)
  }
  return stops
}
