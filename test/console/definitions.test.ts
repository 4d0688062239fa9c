import { describe, expect, test } from 'vitest'
import { TOKEN } from '../crash/server-process.ts'
import { eventually } from '../support/eventually.ts'
import { browserPath, findings, NO_BROWSER, openBrowser, TIME } from './browser.ts'
import { consoleServer, cue } from './console-server.ts'

const WEEKLY = { recurring: { start: '2040-01-06T20:00', rule: 'FREQ=WEEKLY;BYDAY=FR' } }

describe.skipIf(browserPath === null)('definitions', TIME, async () => {
  if (browserPath === null) return test.skip(NO_BROWSER)
  const server = await consoleServer()
  const { open } = await openBrowser(server.url)
  const doors = { key: 'doors', label: 'Doors', steps: [cue('Welcome', 'Welcome everybody.')] }

  test('there is none at first; one is made, and what was written stays where its name is taken', async () => {
    const page = await open({ token: TOKEN, path: '/definitions' })
    await page.getByText('There is no definition yet').waitFor()
    expect(await findings(page)).toEqual([])
    await server.define('quiz-night', [doors])
    await page.getByRole('button', { name: 'New definition' }).click()
    const dialog = page.getByRole('dialog', { name: 'New definition' })
    await dialog.getByRole('textbox', { name: 'Title' }).fill('Quiz night')
    await dialog.getByRole('button', { name: 'Create it' }).click()
    await dialog.getByText('The slug "quiz-night" is taken by another definition').waitFor()
    expect(await findings(page)).toEqual([])
    expect(await dialog.getByRole('textbox', { name: 'Title' }).inputValue()).toBe('Quiz night')
    await dialog.getByRole('textbox', { name: 'Name for addresses' }).fill('quiz-night-2')
    await dialog.getByRole('button', { name: 'Create it' }).click()
    await page.getByRole('heading', { name: 'Quiz night', level: 1 }).waitFor()
    expect(new URL(page.url()).pathname).toContain('/definitions/quiz-night-2')
  })

  test('the list is searched, and says how far each has got and when it comes', async () => {
    await server.define('sea-battle', [doors], { schedule: WEEKLY, publish: true })
    await server.define('sea-fair', [])
    const page = await open({ token: TOKEN, path: '/definitions' })
    await page.getByRole('textbox', { name: 'Search the definitions' }).fill('SEA-')
    const rows = page.getByRole('list', { name: 'Definitions' }).getByRole('listitem')
    await page.getByText('2 found').waitFor()
    expect(await rows.count()).toBe(2)
    const battle = rows.filter({ hasText: 'sea-battle' })
    await battle.getByText('Every week on Friday at 20:00, New York time').waitFor()
    await battle.getByText('Version 1').waitFor()
    await battle.getByText('(Fri, 6 Jan 2040, 20:00 New York)').waitFor()
    await rows.filter({ hasText: 'sea-fair' }).getByText('Draft: 1 issue').waitFor()
    await page.getByText('Archived', { exact: true }).click()
    await page.getByText('Nothing is found').waitFor()
  })

  test('a title that is one long word is in its row as a whole, with its slug', async () => {
    await server.publish('long-word', { title: 'Donaudampfschifffahrtsgesellschaft'.repeat(4) })
    const page = await open({ token: TOKEN, path: '/definitions', phone: true })
    const row = page.getByRole('listitem').filter({ hasText: 'long-word' })
    await row.getByText('long-word', { exact: true }).waitFor()
    const cut = await page.evaluate<string[]>(`[...document.querySelectorAll('main ul, main li')]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map(({ textContent }) => textContent)`)
    expect(cut).toEqual([])
  })

  test('what is next is where a person moved it, and not what was cancelled', async () => {
    const id = await server.define('market', [doors], { schedule: WEEKLY, publish: true })
    const first = await server.start({ definitionId: id, scheduledFor: '2040-01-07T01:00:00Z' })
    const second = await server.start({ definitionId: id, scheduledFor: '2040-01-14T01:00:00Z' })
    const page = await open({ token: TOKEN, path: '/definitions/market' })
    await page.getByText('Next Sat, 7 Jan 2040, 02:00 (Fri, 6 Jan 2040, 20:00 New York)').waitFor()
    await server.ask(
      'mutation ($input: RescheduleRunInput!) { rescheduleRun(input: $input) { __typename ... on Error { message } } }',
      { input: { id: first, scheduledFor: '2040-01-09T02:30:00Z' } },
    )
    await page.getByText('Next Mon, 9 Jan 2040, 03:30 (Sun, 8 Jan 2040, 21:30 New York)').waitFor()
    await server.ask('mutation ($id: ID!) { cancelRun(input: { id: $id }) { __typename ... on Error { message } } }', {
      id: second,
    })
    await page.getByRole('tab', { name: 'Next' }).click()
    const next = page.getByRole('list', { name: 'Next occurrences' }).getByRole('listitem')
    await next.nth(1).getByText('Fri, 20 Jan 2040, 20:00 New York').waitFor()
    await next.first().getByText('Moved').waitFor()
    await eventually(async () =>
      expect([await next.count(), await next.filter({ hasText: 'Moved' }).count()]).toEqual([8, 1]),
    )
    expect(await findings(page)).toEqual([])
    await page.getByRole('link', { name: 'All definitions' }).click()
    const row = page.getByRole('list', { name: 'Definitions' }).getByRole('listitem').filter({ hasText: 'market' })
    await row.getByText('(Sun, 8 Jan 2040, 21:30 New York)').waitFor()
    await row.getByText('Moved').waitFor()
  })

  test('however many were cancelled, the next that starts is shown, and nothing is counted down that is held', async () => {
    const id = await server.define('carnival', [doors], { schedule: WEEKLY, publish: true })
    const fridays = Array.from({ length: 9 }, (_, week) =>
      new Date(Date.parse('2040-01-07T01:00:00Z') + week * 7 * 86_400_000).toISOString(),
    )
    const started: string[] = []
    for (const scheduledFor of [...fridays, '2040-03-09T10:00:00Z', '2040-03-09T11:00:00Z'])
      started.push(await server.start({ definitionId: id, scheduledFor }))
    const cancel = async (runs: string[]) => {
      for (const runId of runs)
        await server.ask('mutation ($id: ID!) { cancelRun(input: { id: $id }) { __typename } }', { id: runId })
    }
    await cancel(started.slice(0, 9))
    const page = await open({ token: TOKEN, path: '/definitions/carnival' })
    await page.getByText('(Fri, 9 Mar 2040, 05:00 New York)').first().waitFor()
    // Two that were moved to one instant are two.
    for (const runId of started.slice(9))
      await server.ask(
        'mutation ($input: RescheduleRunInput!) { rescheduleRun(input: $input) { __typename ... on Error { message } } }',
        { input: { id: runId, scheduledFor: '2040-03-09T12:00:00Z' } },
      )
    await page.getByRole('tab', { name: 'Next' }).click()
    const next = page.getByRole('list', { name: 'Next occurrences' }).getByRole('listitem')
    const moved = next.filter({ hasText: 'Moved' }).filter({ hasText: 'Fri, 9 Mar 2040, 07:00 New York' })
    await moved.nth(1).waitFor()
    await eventually(async () => expect([await moved.count(), await next.count()]).toEqual([2, 8]))

    await server.ask(
      'mutation { setActionSetting(input: { actionId: "core.cue", enabled: false }) { __typename ... on Error { message } } }',
    )
    await server.change({ id, graceSeconds: 60 })
    await server.publishDraft(id)
    await server.ask(
      'mutation { setActionSetting(input: { actionId: "core.cue", enabled: true }) { __typename ... on Error { message } } }',
    )
    await cancel(started.slice(9))
    await page.getByText('The schedule is held: let the version be verified').waitFor()
    await page.getByText('Its schedule is held: it makes no runs until the version is verified.').waitFor()
    expect(await page.getByRole('timer').count()).toBe(0)
    expect(await findings(page)).toEqual([])
    await page.getByRole('link', { name: 'All definitions' }).click()
    const row = page.getByRole('list', { name: 'Definitions' }).getByRole('listitem').filter({ hasText: 'carnival' })
    await row.getByText('Nothing comes until it is verified').waitFor()
  })

  test('what a search found stands until the answer to the next one is there, also when it is cleared', async () => {
    await server.define('known', [doors], { publish: true })
    const page = await open({ token: TOKEN, path: '/definitions' })
    for (const { path, field, none, empty, list } of [
      {
        path: '/definitions',
        field: 'Search the definitions',
        none: 'Nothing is found',
        empty: 'There is no definition yet',
        list: 'Definitions',
      },
      {
        path: '/start',
        field: 'Which event',
        none: 'No published event has this in its title, name or description',
        empty: 'No event is published yet',
        list: 'Events',
      },
    ]) {
      await page.goto(server.url + path)
      const search = page.getByLabel(field, { exact: true })
      await search.fill('nothing is called like this')
      await page.getByText(none).waitFor()
      let release = () => {}
      const held = new Promise<void>((resolve) => {
        release = resolve
      })
      const asked = page.waitForRequest((request) => request.postData()?.includes('"search":null') === true)
      await page.route('**/graphql', async (route) => {
        await held
        await route.continue()
      })
      await search.fill('')
      await asked
      expect(await page.getByText(none).count()).toBe(1)
      expect(await page.getByText(empty).count()).toBe(0)
      release()
      await page.getByRole('list', { name: list }).getByRole('link', { name: 'Event known' }).waitFor()
      await page.unroute('**/graphql')
    }
  })

  test('what cannot be searched is said, and what was found before does not stand for it', async () => {
    await server.define('old-find', [doors], { publish: true })
    const page = await open({ token: TOKEN, path: '/definitions' })
    for (const { path, field, list } of [
      { path: '/definitions', field: 'Search the definitions', list: 'Definitions' },
      { path: '/start', field: 'Which event', list: 'Events' },
    ]) {
      await page.goto(server.url + path)
      const found = page.getByRole('list', { name: list }).getByRole('link', { name: 'Event old-find' })
      await found.waitFor()
      await page.route('**/graphql', (route) =>
        route.request().postData()?.includes('"search":"old"') ? route.abort() : route.continue(),
      )
      await page.getByLabel(field, { exact: true }).fill('old')
      await page.getByText('The server could not be reached').waitFor()
      expect(await found.count()).toBe(0)
      await page.unroute('**/graphql')
      await found.waitFor()
      await page.getByText('The server could not be reached').waitFor({ state: 'detached' })
    }
  })

  test('publishing says what it will do, and then what it did', async () => {
    const id = await server.define('parade', [doors], { schedule: WEEKLY, publish: true })
    await server.change({
      id,
      graceSeconds: 60,
      spec: { schedule: WEEKLY, phases: [doors, { key: 'end', steps: [] }] },
    })
    const page = await open({ token: TOKEN, path: '/definitions/parade' })
    const draft = page.getByRole('list', { name: 'Differences of the draft' })
    await draft.getByText('grace in seconds').waitFor()
    await page.getByRole('button', { name: 'Publish …' }).click()
    const dialog = page.getByRole('dialog', { name: 'Publish “Event parade” as version 2?' })
    await dialog.getByText('Phase end').waitFor()
    let letGo = () => {}
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('mutation VerifyDefinition')) await held
      return route.continue()
    })
    const status = await dialog.getByRole('status').elementHandle()
    await dialog.getByRole('button', { name: 'Verify it first' }).click()
    await dialog.getByText('Every step is asked whether it would work').waitFor()
    // Nothing else happens meanwhile, and what is found is not thrown away.
    for (const button of await dialog.getByRole('button').all()) expect(await button.isDisabled()).toBe(true)
    await page.keyboard.press('Escape')
    letGo()
    await dialog.getByText('The draft passed.').waitFor()
    // What is read out is what was there before.
    expect(await status?.textContent()).toBe('The draft passed.')
    await dialog.getByText('No run to come would be touched.').waitFor()
    await dialog.getByText('1 step checked: 0 errors, 0 warnings').waitFor()
    expect(await findings(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Publish it' }).click()
    const done = page.getByRole('dialog', { name: 'Version 2 is published' })
    await done.getByText('Passed').waitFor()
    await done.getByText('No run to come was touched.').waitFor()
    await done.getByText('1 step checked: 0 errors, 0 warnings').waitFor()
    await done.getByRole('button', { name: 'Close' }).click()
    await page.getByText('The draft says the same as version 2').waitFor()
    await page.getByRole('tab', { name: 'Versions' }).click()
    await page.getByText('2 differences').waitFor()
    await page.getByRole('combobox', { name: 'From' }).selectOption('The draft')
    await page.getByText('Both say the same.').waitFor()
  })

  test('a publication whose answer is lost says that it may have been one, and is none again', async () => {
    await server.define('lost', [doors])
    const page = await open({ token: TOKEN, path: '/definitions/lost?publish=true' })
    let isLost = true
    await page.route('**/graphql', async (route) => {
      if (!isLost || !route.request().postData()?.includes('mutation PublishDefinition')) return route.continue()
      isLost = false
      await route.fetch()
      return route.abort()
    })
    await page.getByRole('button', { name: 'Publish it' }).click()
    await page.getByText('It is not known whether the draft was published').waitFor()
    await page.getByText('Nothing differs from version 1: publishing changes nothing.').waitFor()
    await page.getByRole('button', { name: 'Publish it' }).click()
    await page.getByRole('dialog', { name: 'Version 1 is current already' }).waitFor()
  })

  test('a schedule is paused and resumed, the event rehearsed and then put away', async () => {
    await server.define('regatta', [doors], { schedule: WEEKLY, publish: true })
    const page = await open({ token: TOKEN, path: '/definitions/regatta' })
    await page.getByRole('link', { name: 'Start a run …' }).click()
    await page.getByRole('heading', { name: 'Start Event regatta' }).waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'Pause schedule …' }).click()
    await page.getByRole('button', { name: 'Pause it' }).click()
    await page.getByText('Its schedule is paused: it makes and starts no runs.').waitFor()
    await page.getByRole('button', { name: 'Resume schedule …' }).click()
    await page.getByRole('button', { name: 'Resume it' }).click()
    await page.getByRole('button', { name: 'Pause schedule …' }).waitFor()
    await page.getByRole('button', { name: 'Rehearse …' }).click()
    await page.getByRole('button', { name: 'Rehearse it' }).click()
    await page.getByRole('heading', { name: 'Welcome everybody.' }).waitFor()
    await page.getByText('Rehearsal', { exact: true }).first().waitFor()
    await page.goBack()
    await page.getByRole('tab', { name: 'Runs' }).click()
    await page.getByRole('list', { name: 'Runs' }).getByText('Rehearsal').waitFor()
    await page.getByRole('button', { name: 'Archive …' }).click()
    await page.getByRole('button', { name: 'Archive it' }).click()
    await page.getByText('1 run of it has not ended').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
    await page.getByRole('list', { name: 'Runs' }).getByRole('link').click()
    await page.getByRole('button', { name: 'Done', exact: true }).click()
    await page.getByText('It is done.').waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'Archive …' }).click()
    await page.getByRole('button', { name: 'Archive it' }).click()
    await page.getByText('It is archived: nothing of it starts any more.').waitFor()
    expect(await page.getByRole('button', { name: /…/ }).count()).toBe(0)
  })

  test('the version and the draft are verified anew, and what was found is told of each', async () => {
    const balloons = { actionId: 'fair.balloons', params: { count: 5 } }
    const setAction = (enabled: boolean) =>
      server.ask(
        'mutation ($enabled: Boolean!) { setActionSetting(input: { actionId: "fair.balloons", enabled: $enabled }) { __typename ... on Error { message } } }',
        { enabled },
      )
    await setAction(false)
    const daily = { recurring: { start: '2020-01-01T20:00', rule: 'FREQ=DAILY' } }
    const id = await server.define('lift-off', [{ key: 'sky', steps: [balloons] }], { schedule: daily, publish: true })
    const page = await open({ token: TOKEN, path: '/definitions/lift-off' })
    await page.getByText('Not verified').waitFor()
    await page.getByRole('tab', { name: 'Verification' }).click()
    const panel = page.getByRole('tabpanel', { name: 'Verification' })
    await panel.getByText('Did not pass').waitFor()
    await panel.getByText('1 step checked: 1 error, 0 warnings').waitFor()
    await panel.getByText('sky › step 1 › Let balloons go').waitFor()
    await panel.getByRole('button', { name: 'Verify version 1' }).click()
    await panel.getByRole('heading', { name: 'Version 1, just now' }).waitFor()
    await panel.getByText('its schedule is held').waitFor()
    expect(await findings(page)).toEqual([])

    await setAction(true)
    let letGo = () => {}
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('mutation VerifyDefinition')) await held
      return route.continue()
    })
    await panel.getByRole('button', { name: 'Verify version 1' }).click()
    await panel.getByText('Every step is asked whether it would work').waitFor()
    for (const button of await panel.getByRole('button').all()) expect(await button.isDisabled()).toBe(true)
    letGo()
    await panel.getByText('Passed', { exact: true }).waitFor()
    await panel.getByText(/^Runs to come: 1\d runs added, 0 runs taken along, 0 runs cancelled\.$/).waitFor()
    await page.getByText('Not verified').waitFor({ state: 'detached' })

    await server.change({
      id,
      spec: { schedule: daily, phases: [{ key: 'sky', steps: [balloons, { ...balloons, label: 'The rest' }] }] },
    })
    await panel.getByRole('button', { name: 'Verify the draft' }).click()
    await panel.getByRole('heading', { name: 'The draft, as it was just now' }).waitFor()
    await panel.getByText('2 steps checked: 0 errors, 0 warnings').waitFor()
    await panel.getByText('sky › step 2 › The rest').waitFor()
    await eventually(async () => expect(await panel.getByRole('status').textContent()).toBe('The draft passed.'))
    await panel.getByText(/^Runs to come, if it is published now: 0 runs added, 1\d runs taken along/).waitFor()
    expect(await findings(page)).toEqual([])
  })

  test('a viewer sees all of it and is offered nothing', async () => {
    await server.define('seen', [doors], { publish: true })
    const { token } = await server.tokenFor('Vera', 'VIEWER')
    const page = await open({ token, path: '/definitions/seen' })
    await page.getByText('What version 1 does').waitFor()
    await page.getByRole('tab', { name: 'Verification' }).click()
    await page.getByText('Passed').waitFor()
    expect(await page.getByRole('button', { name: /…|Verify/ }).count()).toBe(0)
    await page.getByRole('link', { name: 'All definitions' }).click()
    await page.getByRole('list', { name: 'Definitions' }).waitFor()
    expect(await page.getByRole('button', { name: 'New definition' }).count()).toBe(0)
  })
})
