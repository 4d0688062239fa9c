import { describe, expect, test } from 'vitest'
import { TOKEN } from '../crash/server-process.ts'
import { eventually } from '../support/eventually.ts'
import { browserPath, findings, NO_BROWSER, openBrowser, TIME } from './browser.ts'
import { consoleServer } from './console-server.ts'

const PARAMETERS = [
  { name: 'team', label: 'Team', required: true },
  { name: 'rounds', label: 'Rounds', type: 'INTEGER', required: true, default: '3' },
  { name: 'map', label: 'Map', type: 'CHOICE', options: ['Harbour', 'Keep'] },
  { name: 'horns', label: 'Horns', type: 'BOOLEAN', default: 'true' },
]

describe.skipIf(browserPath === null)('starting a run', TIME, async () => {
  if (browserPath === null) return test.skip(NO_BROWSER)
  const server = await consoleServer()
  const { open } = await openBrowser(server.url)
  const runsOf = async (id: string) => {
    const { definition } = await server.ask(
      'query ($id: ID!) { definition(id: $id) { runs { edges { node { id scope params rehearsal scheduledFor } } } } }',
      { id },
    )
    return definition.runs.edges.map(({ node }: { node: object }) => node)
  }

  test('an admin finds the event, is told at each field what is wrong, and comes to the run', async () => {
    const id = await server.publish('cup', { title: 'The cup', parameters: PARAMETERS })
    await server.publish('other')
    const page = await open({ token: TOKEN })
    await page.getByRole('link', { name: 'Start a run' }).click()
    await page.getByRole('link', { name: 'Event other' }).waitFor()
    await page.getByRole('searchbox', { name: 'Which event' }).fill('cup')
    await page.getByText('1 event.').waitFor()
    expect(await page.getByRole('link', { name: 'Event other' }).count()).toBe(0)
    expect(await findings(page)).toEqual([])
    await page.getByRole('searchbox', { name: 'Which event' }).fill('nothing of this name')
    await page.getByText('No published event has this in its title, name or description').waitFor()
    await page.getByRole('searchbox', { name: 'Which event' }).fill('THE CUP')
    await page.getByRole('link', { name: 'The cup' }).click()

    await page.getByRole('heading', { name: 'Start The cup' }).waitFor()
    const rounds = page.getByRole('textbox', { name: 'Rounds' })
    await rounds.fill('three')
    await page.getByRole('combobox', { name: 'Scope' }).fill('x'.repeat(191))
    await page.getByRole('button', { name: 'Start it now' }).click()
    await page.getByText('"Team" is required; give it a value.').waitFor()
    await page.getByText('"Rounds" must be a whole number.').waitFor()
    await page.getByText(/^The scope .*190/).waitFor()
    // The first of them has the focus, and each is said to be of its field.
    expect(await page.evaluate(`document.activeElement.name`)).toBe('team')
    expect(await rounds.getAttribute('aria-invalid')).toBe('true')
    expect(await findings(page)).toEqual([])
    expect(await runsOf(id)).toEqual([])

    await page.getByRole('textbox', { name: 'Team' }).fill('The Owls')
    await rounds.fill('')
    await page.getByRole('combobox', { name: 'Map' }).selectOption('Keep')
    await page.getByRole('combobox', { name: 'Scope' }).fill('hall 2')
    await page.getByRole('button', { name: 'Start it now' }).click()
    await page.getByRole('heading', { name: 'The cup in hall 2' }).waitFor()
    const [run, ...more] = await runsOf(id)
    expect(more).toEqual([])
    expect(page.url()).toBe(`${server.url}/runs/${run.id}`)
    expect(run).toMatchObject({
      scope: 'hall 2',
      rehearsal: false,
      params: { team: 'The Owls', rounds: 3, map: 'Keep', horns: true },
    })
  })

  test('pressing twice starts one run, also where the answer to the first was lost', async () => {
    const twice = await server.publish('twice')
    const page = await open({ token: TOKEN, path: '/start/twice' })
    await page.getByRole('button', { name: 'Start it now' }).dblclick()
    await page.getByRole('heading', { name: 'Event twice', exact: true }).waitFor()
    expect(await runsOf(twice)).toHaveLength(1)

    const lost = await server.publish('lost')
    await page.goto(`${server.url}/start/lost`)
    await page.getByRole('button', { name: 'Start it now' }).waitFor()
    let answersToLose = 1
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('mutation StartRun') || answersToLose === 0) return route.continue()
      answersToLose -= 1
      await route.fetch()
      await route.abort()
    })
    await page.getByRole('button', { name: 'Start it now' }).click()
    await page.getByText('Not known to be started').waitFor()
    expect(await findings(page)).toEqual([])
    expect(await runsOf(lost)).toHaveLength(1)
    await page.getByRole('button', { name: 'Start it now' }).click()
    await page.getByText('This run was there already; no second one was made.').waitFor()
    await page.getByRole('heading', { name: 'Event lost', exact: true }).waitFor()
    expect(await runsOf(lost)).toHaveLength(1)
    // Coming back to the form is meant to start another.
    await page.goto(`${server.url}/start/lost`)
    await page.getByRole('button', { name: 'Start it now' }).click()
    await page.getByRole('heading', { name: 'Event lost', exact: true }).waitFor()
    expect(await runsOf(lost)).toHaveLength(2)
  })

  test('a rehearsal at an instant to come, shown in both zones; one that is past is refused at its field', async () => {
    const id = await server.publish('later')
    const page = await open({ token: TOKEN, path: '/start/later', scheme: 'dark', phone: true })
    await page.getByRole('radio', { name: 'At an instant' }).check()
    await page.getByLabel('Start', { exact: true }).fill('2020-02-01T20:00:00')
    await page.getByRole('switch', { name: 'Rehearsal' }).check({ force: true })
    await page.getByRole('button', { name: 'Schedule the rehearsal' }).click()
    await page.getByText(/is further back than the grace window/).waitFor()
    expect(await page.getByLabel('Start', { exact: true }).getAttribute('aria-invalid')).toBe('true')
    expect(await findings(page)).toEqual([])
    await page.getByLabel('Start', { exact: true }).fill('2031-06-01T20:00:00')
    await page.getByText('Sun, 1 Jun 2031, 20:00 (Sun, 1 Jun 2031, 14:00 New York)').waitFor()
    await page.getByRole('button', { name: 'Schedule the rehearsal' }).click()
    await page.getByText('Scheduled', { exact: true }).waitFor()
    expect(await runsOf(id)).toMatchObject([{ rehearsal: true, scheduledFor: '2031-06-01T18:00:00.000Z' }])
  })

  test('a version that was published while one wrote is not started unseen', async () => {
    const id = await server.publish('overtaken')
    const page = await open({ token: TOKEN, path: '/start/overtaken' })
    await page.getByRole('heading', { name: 'Start Event overtaken' }).waitFor()
    await server.change({ id, graceSeconds: 60 })
    await server.publishDraft(id)
    await page.getByRole('button', { name: 'Start it now' }).click()
    await page.getByText('Version 2 was published meanwhile.').waitFor()
    expect(await runsOf(id)).toEqual([])
    await page.locator('dd', { hasText: /^2$/ }).waitFor()
    await page.getByRole('button', { name: 'Start it now' }).click()
    await eventually(async () => expect(await runsOf(id)).toHaveLength(1))
  })

  test('what cannot be started says why, and who may not start is offered nothing', async () => {
    await server.ask(
      'mutation ($input: CreateDefinitionInput!) { createDefinition(input: $input) { __typename ... on Error { message } } }',
      { input: { slug: 'unpublished', title: 'Unpublished', spec: { schedule: { manual: true }, phases: [] } } },
    )
    const page = await open({ token: TOKEN, path: '/start/unpublished' })
    await page.getByRole('heading', { name: 'Unpublished is a draft' }).waitFor()
    await page.getByRole('link', { name: 'Choose an event' }).click()
    await page.getByRole('heading', { name: 'Start a run' }).waitFor()

    const { token } = await server.tokenFor('Mira', 'MODERATOR')
    const other = await open({ token })
    await other.getByRole('heading', { name: 'Live', exact: true }).waitFor()
    expect(await other.getByRole('link', { name: 'Start a run' }).count()).toBe(0)
    await other.goto(`${server.url}/start/later`)
    await other.getByRole('heading', { name: 'Starting a run needs the role ADMIN' }).waitFor()
    expect(await findings(other)).toEqual([])
  })
})
