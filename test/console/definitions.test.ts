import { describe, expect, test } from 'vitest'
import { TOKEN } from '../crash/server-process.ts'
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

  test('what is next is where a person moved it, and not what was cancelled', async () => {
    const id = await server.define('market', [doors], { schedule: WEEKLY, publish: true })
    const start = async (scheduledFor: string): Promise<string> => {
      const { startRun } = await server.ask(
        'mutation ($input: StartRunInput!) { startRun(input: $input) { ... on StartRunPayload { run { id } } ... on Error { message } } }',
        { input: { definitionId: id, scheduledFor } },
      )
      return startRun.run.id
    }
    const first = await start('2040-01-07T01:00:00Z')
    const second = await start('2040-01-14T01:00:00Z')
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
    expect(await next.count()).toBe(7)
    expect(await next.filter({ hasText: 'Moved' }).count()).toBe(1)
    expect(await findings(page)).toEqual([])
    await page.getByRole('link', { name: 'All definitions' }).click()
    const row = page.getByRole('list', { name: 'Definitions' }).getByRole('listitem').filter({ hasText: 'market' })
    await row.getByText('(Sun, 8 Jan 2040, 21:30 New York)').waitFor()
    await row.getByText('Moved').waitFor()
  })

  test('publishing says what it will do, and then what it did', async () => {
    const id = await server.define('parade', [doors], { schedule: WEEKLY, publish: true })
    await server.ask(
      `mutation ($input: UpdateDefinitionInput!) { updateDefinition(input: $input) { __typename ... on Error { message } } }`,
      { input: { id, graceSeconds: 60, spec: { schedule: WEEKLY, phases: [doors, { key: 'end', steps: [] }] } } },
    )
    const page = await open({ token: TOKEN, path: '/definitions/parade' })
    const draft = page.getByRole('list', { name: 'Differences of the draft' })
    await draft.getByText('grace in seconds').waitFor()
    await page.getByRole('button', { name: 'Publish …' }).click()
    const dialog = page.getByRole('dialog', { name: 'Publish “Event parade” as version 2?' })
    await dialog.getByText('Phase end').waitFor()
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
