import { describe, expect, test } from 'vitest'
import { TOKEN } from '../crash/server-process.ts'
import { eventually } from '../support/eventually.ts'
import { browserPath, findings, NO_BROWSER, openBrowser, TIME } from './browser.ts'
import { consoleServer } from './console-server.ts'

const PHASES = [{ key: 'doors', steps: [] }]
/** Far ahead of any day on which this runs: the clocks of New York go forward on the 9th. */
const MONTH = '/calendar?view=month&on=2031-03-09'
const WEEK = '/calendar?view=week&on=2031-03-09'

describe.skipIf(browserPath === null)('the calendar', TIME, async () => {
  if (browserPath === null) return test.skip(NO_BROWSER)
  const server = await consoleServer()
  const { open } = await openBrowser(server.url)
  const scheduled = (slug: string, recurring: object, more: object = {}) =>
    server.publish(slug, { spec: { schedule: { recurring }, phases: PHASES }, ...more })
  const startAt = (id: string, scheduledFor: string) => server.start({ definitionId: id, scheduledFor })
  const runOf = async (id: string) => {
    const { run } = await server.ask(
      'query ($id: ID!) { run(id: $id) { status scheduledFor occurrenceAt log { edges { node { kind detail actor { name } } } } } }',
      { id },
    )
    return run
  }

  await scheduled('invasion', { start: '2031-03-01T20:00', rule: 'FREQ=DAILY;COUNT=20' }, { concurrencyKey: 'yew' })
  await scheduled('guild', { start: '2031-03-07T20:05', rule: 'FREQ=DAILY;COUNT=1' }, { concurrencyKey: 'yew' })
  await scheduled('nights', { start: '2031-03-05T02:30', rule: 'FREQ=DAILY;COUNT=10' })
  await scheduled(
    'rush',
    { start: '2031-03-12T00:00', rule: 'FREQ=MINUTELY;INTERVAL=10;COUNT=100' },
    { timeZone: 'Europe/Berlin' },
  )
  const paused = await scheduled('parade', { start: '2031-03-01T10:00', rule: 'FREQ=DAILY' })
  await server.ask(
    'mutation ($id: ID!) { pauseSchedule(input: { id: $id }) { __typename ... on Error { message } } }',
    {
      id: paused,
    },
  )
  const byHand = await server.publish('by-hand')

  test('a month shows plans in both zones, what contends, daylight saving, pauses, and a hundred of one day as one', async () => {
    const page = await open({ token: TOKEN })
    await page.getByRole('link', { name: 'Calendar' }).click()
    await page.getByRole('radio', { name: 'Week' }).waitFor({ state: 'attached' })
    await page.goto(server.url + MONTH)
    await page.getByRole('heading', { name: 'Calendar: March 2031' }).waitFor()
    await page.getByText(/^1\d\d occurrences, 1\d\d of them without a run yet, 2 to look at$/).waitFor()
    const pauses = page.getByRole('list', { name: 'Paused schedules' })
    await pauses.getByRole('link', { name: 'Event parade' }).waitFor()
    await page.getByText('can follow this one').getByRole('link', { name: 'create a token' }).waitFor()
    expect(await page.getByRole('button', { name: 'Event parade' }).count()).toBe(0)

    const day = (on: string) => page.locator(`[data-day="${on}"]`)
    // 20:00 in New York is the next day in Berlin, an hour earlier there once its clocks have gone forward.
    const second = day('2031-03-02').getByRole('button', { name: 'Event invasion' })
    expect(await second.getAttribute('title')).toBe('02:00 (Sat 20:00 New York) Event invasion')
    const tenth = day('2031-03-10').getByRole('button', { name: 'Event invasion' })
    expect(await tenth.getAttribute('title')).toBe('01:00 (Sun 20:00 New York) Event invasion')
    expect(await page.getByRole('button', { name: 'Contends' }).allInnerTexts()).toHaveLength(2)
    await day('2031-03-09')
      .getByRole('button', { name: /Event nights.*\+60 min/ })
      .waitFor()
    expect(await page.getByRole('button', { name: '+60 min' }).count()).toBe(1)
    expect(await findings(page)).toEqual([])

    await day('2031-03-08')
      .getByRole('button', { name: /Event guild.*Contends/ })
      .click()
    const details = page.getByRole('dialog', { name: 'Event guild' })
    await details.getByText('It needs the same concurrency key as Event invasion').waitFor()
    await details.getByText('Sat, 8 Mar 2031, 02:05:00 Berlin').waitFor()
    await details.getByText('Fri, 7 Mar 2031, 20:05:00 New York').waitFor()
    await details.getByText('No run is made of it yet').waitFor()
    expect(await findings(page)).toEqual([])
    await details.getByRole('button', { name: 'Close' }).click()
    await day('2031-03-09').getByRole('button', { name: 'Event nights' }).click()
    await page.getByText('There is no 02:30 in New York on that day').waitFor()
    await page.keyboard.press('Escape')

    const many = day('2031-03-12').getByRole('link', { name: /100× Event rush/ })
    await many.getByText('00:00–16:30').waitFor()
    await many.click()
    await page.getByRole('heading', { name: 'Calendar: Wednesday, 12 March 2031' }).waitFor()
    await page.getByText(/^100 occurrences/).waitFor()
    expect(await page.getByRole('button', { name: 'Event rush' }).count()).toBe(100)
    expect(await findings(page)).toEqual([])
    await page.getByRole('link', { name: 'Next day' }).click()
    await page.getByText('Nothing starts: Thursday, 13 March 2031').waitFor()
    await page.getByText('Look at another time, or at all events.').waitFor()
  })

  test('an occurrence is given its run, moved, started now and cancelled, each with a reason', async () => {
    const page = await open({ token: TOKEN, path: WEEK })
    const day = (on: string) => page.locator(`[data-day="${on}"]`)
    await day('2031-03-05').getByRole('button', { name: 'Event invasion' }).click()
    await page.getByRole('link', { name: 'Make its run …' }).click()
    await page.getByText('Wed, 5 Mar 2031, 02:00 (Tue, 4 Mar 2031, 20:00 New York)').waitFor()
    await page.getByRole('button', { name: 'Schedule it' }).click()
    await page.waitForURL(/\/runs\//)
    const id = page.url().split('/').at(-1) ?? ''
    await page.goBack()
    await page.goBack()

    await day('2031-03-05').getByRole('button', { name: 'Event invasion' }).click()
    await page.getByRole('button', { name: 'Move …' }).click()
    const dialog = page.getByRole('dialog', { name: 'Move the start?' })
    await dialog.locator('input:focus').waitFor()
    expect(await dialog.locator('input:focus').inputValue()).toBe('2031-03-05T02:00')
    await dialog.getByLabel('New start').fill('2031-03-06T21:00:00')
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('The hall is taken.')
    expect(await findings(page)).toEqual([])
    // Closing the dialog alone leaves what is below it.
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Move …' }).click()
    await dialog.getByLabel('New start').fill('2031-03-06T21:00:00')
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('The hall is taken.')
    await dialog.getByRole('button', { name: 'Move it' }).click()
    await page.getByText('Somebody moved its start: its log says who, and why.').waitFor()
    await page.getByText('Thu, 6 Mar 2031, 21:00:00 Berlin').waitFor()
    await page.getByText('Tue, 4 Mar 2031, 20:00:00 New York').waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    await day('2031-03-06')
      .getByRole('button', { name: /^21:00.*Event invasion.*Moved/ })
      .waitFor()
    expect(await runOf(id)).toMatchObject({
      status: 'SCHEDULED',
      scheduledFor: '2031-03-06T20:00:00.000Z',
      occurrenceAt: '2031-03-05T01:00:00.000Z',
    })

    await day('2031-03-06').getByRole('button', { name: 'Moved' }).click()
    await page.getByRole('button', { name: 'Start now …' }).click()
    await page.getByRole('textbox', { name: 'Reason' }).fill('All are here.')
    await page.getByRole('button', { name: 'Start it now' }).click()
    await server.until(id, ({ status }) => status === 'COMPLETED')
    // It is followed also when it has left the week that is shown.
    await page.getByRole('dialog', { name: 'Event invasion' }).getByText('Completed').waitFor()
    const { log } = await runOf(id)
    const reasons = log.edges.map(({ node }: { node: { detail: { reason?: string } } }) => node.detail.reason)
    expect(reasons.filter((reason: string | undefined) => reason !== undefined)).toEqual([
      'The hall is taken.',
      'All are here.',
    ])
    await page.getByRole('button', { name: 'Close' }).click()
    await day('2031-03-06').getByRole('button', { name: 'Moved' }).waitFor({ state: 'detached' })

    const other = await startAt(byHand, '2031-03-04T12:00:00Z')
    await day('2031-03-04')
      .getByRole('button', { name: /^13:00.*Event by-hand/ })
      .click()
    await page.getByRole('button', { name: 'Cancel …' }).click()
    await page.getByRole('button', { name: 'Cancel the run' }).click()
    await day('2031-03-04')
      .getByRole('button', { name: /Event by-hand.*Cancelled/, includeHidden: true })
      .waitFor()
    expect((await runOf(other)).status).toBe('CANCELLED')
  })

  test('a schedule is paused where its plan stands and resumed where that says so, with reasons for the audit log', async () => {
    const id = await scheduled('regatta', { start: '2033-05-02T10:00', rule: 'FREQ=DAILY;COUNT=3' })
    const { token } = await server.tokenFor('Mira', 'ADMIN')
    const page = await open({ token, path: '/calendar?view=week&on=2033-05-02' })
    const lines = page.getByRole('button', { name: 'Event regatta' })
    await lines.nth(2).waitFor()
    await lines.first().click()
    await page.getByRole('button', { name: 'Pause schedule …' }).click()
    const dialog = page.getByRole('dialog', { name: 'Pause the schedule of "Event regatta"?' })
    await dialog.getByText('runs that it made (none now) are missed when the time comes').waitFor()
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('The wind is too strong.')
    expect(await findings(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Pause it' }).click()
    const resume = page
      .getByRole('list', { name: 'Paused schedules' })
      .getByRole('listitem')
      .filter({ hasText: 'Event regatta' })
      .getByRole('button', { name: 'Resume …' })
    await resume.waitFor()
    await lines.first().waitFor({ state: 'detached' })
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(await findings(page)).toEqual([])

    const { token: guest } = await server.tokenFor('Vera', 'VIEWER')
    const seen = await open({ token: guest, path: '/calendar?view=week&on=2033-05-02' })
    await seen.getByRole('list', { name: 'Paused schedules' }).getByRole('link', { name: 'Event regatta' }).waitFor()
    expect(await seen.getByRole('button', { name: /schedule/ }).count()).toBe(0)

    await resume.click()
    await page.getByRole('textbox', { name: 'Reason' }).fill('It is calm.')
    await page.getByRole('button', { name: 'Resume it' }).click()
    await lines.nth(2).waitFor()
    await page.goto(`${server.url}/audit?subject=${id}`)
    const entries = page.getByRole('list', { name: 'Entries' }).getByRole('listitem')
    await entries
      .filter({ hasText: 'Mira paused the schedule of Event regatta' })
      .getByText('The wind is too strong.')
      .first()
      .waitFor()
    await entries
      .filter({ hasText: 'Mira resumed the schedule of Event regatta' })
      .getByText('It is calm.')
      .first()
      .waitFor()
  })

  test('what others do is followed, and what was missed says why; who looks on is offered no control', async () => {
    const id = await startAt(byHand, '2031-03-20T12:00:00Z')
    const missed = await startAt(byHand, '2031-03-21T12:00:00Z')
    await server.db.prisma.$executeRaw`
      UPDATE runs SET status = 'MISSED', missed_reason = 'KEY_HELD', ended_at = scheduled_for
      WHERE id = ${missed.replace('run_', '')}::uuid`
    const { token } = await server.tokenFor('Vera', 'VIEWER')
    const page = await open({ token, path: '/calendar?view=week&on=2031-03-20', scheme: 'dark' })
    const day = (on: string) => page.locator(`[data-day="${on}"]`)
    await day('2031-03-20')
      .getByRole('button', { name: /^13:00.*Event by-hand.*Scheduled/ })
      .waitFor()
    await server.ask(
      'mutation ($input: RescheduleRunInput!) { rescheduleRun(input: $input) { __typename ... on Error { message } } }',
      { input: { id, scheduledFor: '2031-03-22T09:30:00Z' } },
    )
    await day('2031-03-22')
      .getByRole('button', { name: /^10:30.*Event by-hand.*Moved/ })
      .waitFor()
    expect(await day('2031-03-20').getByRole('button', { name: 'Event by-hand' }).count()).toBe(0)
    expect(await findings(page)).toEqual([])

    await day('2031-03-21')
      .getByRole('button', { name: /Event by-hand.*Missed/ })
      .click()
    const details = page.getByRole('dialog', { name: 'Event by-hand' })
    await details.getByText('It was missed: another run held its concurrency key.').waitFor()
    await details.getByRole('link', { name: 'Open the run' }).waitFor()
    await details.getByRole('button', { name: 'Close' }).click()
    await day('2031-03-22').getByRole('button').click()
    await details.getByText('Waits for its start.').waitFor()
    expect(await page.getByRole('button', { name: /^(Move|Start now|Cancel) …$/ }).count()).toBe(0)
    expect(await page.getByRole('link', { name: 'Start a run' }).count()).toBe(0)
  })

  test('the keyboard goes from day to day and opens an occurrence', async () => {
    const page = await open({ token: TOKEN, path: MONTH })
    const focused = () => page.evaluate<string>(`document.activeElement.textContent`)
    await page.locator('[data-day="2031-03-09"]').getByRole('button', { name: 'Event nights' }).waitFor()
    await page.getByRole('link', { name: 'Sunday, 9 March 2031' }).focus()
    await page.keyboard.press('ArrowDown')
    expect(await focused()).toContain('Event invasion')
    await page.keyboard.press('ArrowDown')
    expect(await focused()).toContain('Event nights')
    await page.keyboard.press('ArrowDown')
    expect(await focused()).toContain('Sunday, 16 March 2031')
    await page.keyboard.press('ArrowUp')
    expect(await focused()).toContain('Event nights')
    await page.keyboard.press('ArrowRight')
    expect(await page.evaluate(`document.activeElement.closest('[data-day]').dataset.day`)).toBe('2031-03-10')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Event nights' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await focused()).toContain('Event nights')
  })

  test.each(['light', 'dark'] as const)('on a phone it is a list, in which axe finds nothing in %s', async (scheme) => {
    const page = await open({ token: TOKEN, path: WEEK.replace('09', '12'), scheme, phone: true })
    const day = page.getByRole('region', { name: 'Wednesday, 12 March 2031' })
    await day.getByRole('link', { name: /100× Event rush/ }).waitFor()
    await day.getByRole('button', { name: /^01:00 Tue 20:00 New York Event invasion/ }).waitFor()
    expect(await page.getByRole('table').count()).toBe(0)
    expect(await page.evaluate(`document.documentElement.scrollWidth - innerWidth`)).toBe(0)
    expect(await findings(page)).toEqual([])
    await day.getByRole('button', { name: 'Event nights' }).tap()
    await page.getByRole('dialog', { name: 'Event nights' }).waitFor()
    expect(await findings(page)).toEqual([])
  })

  test('one event is chosen, and is in the address', async () => {
    const page = await open({ token: TOKEN, path: MONTH })
    await page.getByRole('button', { name: 'Event invasion' }).first().waitFor()
    await page.getByRole('combobox', { name: 'Event' }).fill('night')
    await page.getByRole('option', { name: 'Event nights' }).click()
    await page.getByText('10 occurrences, 10 of them without a run yet').waitFor()
    expect(await page.getByRole('button', { name: 'Event invasion' }).count()).toBe(0)
    await page.reload()
    await page.getByText('10 occurrences, 10 of them without a run yet').waitFor()
    await eventually(async () =>
      expect(await page.getByRole('combobox', { name: 'Event' }).inputValue()).toBe('Event nights'),
    )
  })

  test('of many paused schedules all are there to be resumed', async () => {
    const slugs = ['early', 'late', 'loud', 'quiet', 'short']
    for (const slug of slugs) {
      const id = await scheduled(slug, { start: '2034-05-02T10:00', rule: 'FREQ=DAILY;COUNT=3' })
      await server.ask(
        'mutation ($id: ID!) { pauseSchedule(input: { id: $id }) { __typename ... on Error { message } } }',
        { id },
      )
    }
    const page = await open({ token: TOKEN, path: '/calendar?view=week&on=2034-05-02' })
    const list = page.getByRole('list', { name: 'Paused schedules' })
    await list.getByRole('button', { name: /^Show \d more$/ }).click()
    for (const slug of slugs) await list.getByRole('link', { name: `Event ${slug}` }).waitFor()
    expect(await list.getByRole('button', { name: 'Resume …' }).count()).toBe(await list.getByRole('link').count())
    expect(await findings(page)).toEqual([])
  })
})
