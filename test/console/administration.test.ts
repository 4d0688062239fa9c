import { describe, expect, test } from 'vitest'
import { TOKEN } from '../crash/server-process.ts'
import { eventually } from '../support/eventually.ts'
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
    for (const key of ['ArrowDown', 'ArrowUp', 'Enter']) await page.keyboard.press(key)
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
    expect(
      await page.getByRole('menuitem').evaluateAll((items) => items.map((item) => item.getAttribute('href'))),
    ).toEqual(['/runs', '/definitions', '/actions', '/runner'])
    for (const [path, title] of [
      ['/tokens', 'The list of tokens needs the role ADMIN'],
      ['/audit', 'The audit log needs the role ADMIN'],
    ]) {
      await page.goto(server.url + path)
      await page.getByRole('heading', { name: title ?? '' }).waitFor()
      await page.getByText('You are Vera, and your role is VIEWER.').waitFor()
      expect(await findings(page)).toEqual([])
    }
  })

  test('a token is made, shown once, signs somebody in, and is revoked', async () => {
    const page = await open({ token: TOKEN, path: '/tokens' })
    await page.getByRole('button', { name: 'Create a token …' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Create it' }).click()
    await dialog.getByText('Say who or what it is for.').waitFor()
    expect(await findings(page)).toEqual([])
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Nora')
    await dialog.getByRole('radio', { name: 'MODERATOR' }).check()
    await dialog.getByLabel('Holds until').fill('2001-01-01T00:00')
    await dialog.getByRole('button', { name: 'Create it' }).click()
    await dialog.getByText(/is not in the future/).waitFor()
    await dialog.getByLabel('Holds until').fill('')
    await dialog.getByRole('button', { name: 'Create it' }).click()
    await dialog.getByText('It is shown this once').waitFor()
    const token = await dialog.getByRole('textbox', { name: 'Token' }).inputValue()
    expect(await findings(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.url })
    await dialog.getByRole('button', { name: 'Copy it' }).click()
    await dialog.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(token)
    await dialog.getByRole('button', { name: 'I have kept it' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await page.content()).not.toContain(token)

    await page.getByRole('button', { name: 'Create a token …' }).click()
    await dialog.getByRole('textbox', { name: 'Name' }).fill('the hall')
    await dialog.getByRole('radio', { name: 'CALENDAR' }).check()
    await dialog.getByRole('button', { name: 'Create it' }).click()
    const address = await dialog.getByRole('textbox', { name: 'Address of the calendar' }).inputValue()
    expect(await (await fetch(address)).text()).toContain('BEGIN:VCALENDAR')
    await dialog.getByText(/have CUELIGHT_PUBLIC_URL set to it/).waitFor()
    expect(await findings(page)).toEqual([])
    await dialog.getByRole('button', { name: 'I have kept it' }).click()

    const known = 'https://cuelight.example/calendar.ics?secret=it'
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('mutation CreateApiToken')) return route.continue()
      const { data } = await (await route.fetch()).json()
      return route.fulfill({ json: { data: { createApiToken: { ...data.createApiToken, calendarAddress: known } } } })
    })
    await page.getByRole('button', { name: 'Create a token …' }).click()
    await dialog.getByRole('textbox', { name: 'Name' }).fill('the lobby')
    await dialog.getByRole('radio', { name: 'CALENDAR' }).check()
    await dialog.getByRole('button', { name: 'Create it' }).click()
    expect(await dialog.getByRole('textbox', { name: 'Address of the calendar' }).inputValue()).toBe(known)
    expect(await dialog.getByText(/CUELIGHT_PUBLIC_URL/).count()).toBe(0)
    await dialog.getByRole('button', { name: 'I have kept it' }).click()
    await page.unroute('**/graphql')

    const nora = await open({ token, path: '/' })
    await nora.getByRole('button', { name: 'Nora, MODERATOR: your menu' }).waitFor()
    await page.getByRole('button', { name: 'Revoke Nora' }).click()
    const asked = page.getByRole('dialog', { name: 'Revoke the token of "Nora"?' })
    await asked.getByText(/It is a MODERATOR/).waitFor()
    expect(await asked.getByRole('textbox').count()).toBe(0)
    await asked.getByRole('button', { name: 'Revoke it' }).click()
    await page.getByRole('button', { name: 'Revoke Nora' }).waitFor({ state: 'detached' })
    await nora.getByText('The server does not take this token').waitFor()
    await page.getByText('All', { exact: true }).click()
    await page.getByRole('row', { name: /Nora/ }).getByText('revoked').waitFor()
    expect(await findings(page)).toEqual([])
  })

  test('a text from right to left does not turn the sentence around it', async () => {
    const id = await server.define('turned', [])
    for (const change of [{ title: '\u202eאבג' }, { description: 'Once' }, { description: 'Twice' }])
      await server.ask(
        'mutation ($input: UpdateDefinitionInput!) { updateDefinition(input: $input) { __typename ... on Error { message } } }',
        { input: { id, ...change } },
      )
    const page = await open({ token: TOKEN, path: '/audit' })
    const sentence = page.getByText(/^admin changed the event .*אבג.* 3 times$/)
    await sentence.waitFor()
    const [name, count] = await sentence.evaluate((element) => {
      const count = document.createRange()
      const digit = [...element.childNodes].find(({ textContent }) => textContent === '3')
      if (digit === undefined) throw new Error('it does not say how often')
      count.selectNode(digit)
      return [element.querySelector('strong:last-of-type'), count].map((it) => it?.getBoundingClientRect().x ?? 0)
    })
    expect(count).toBeGreaterThan(name ?? 0)
  })

  test('the audit log is filtered, and says all of an entry', async () => {
    const saved = await server.define('saved', [])
    for (const description of ['Once', 'Twice']) await server.change({ id: saved, description })
    const { id } = await server.tokenFor('Odo', 'VIEWER')
    await server.tokenFor('Pia', 'VIEWER')
    await server.ask('mutation ($id: ID!) { revokeApiToken(input: { id: $id }) { __typename } }', { id })
    const page = await open({ token: TOKEN, path: '/audit' })
    const entries = page.getByRole('list', { name: 'Entries' }).locator('summary')
    await entries.filter({ hasText: 'admin created the token of Pia' }).waitFor()
    const written = entries.filter({ hasText: 'admin changed the event Event saved 2 times' })
    await written.click()
    expect(await entries.filter({ hasText: /^admin changed the event Event saved(?! 2 times)/ }).count()).toBe(2)
    expect(await findings(page)).toEqual([])
    await written.click()
    await page.getByRole('combobox', { name: 'What' }).click()
    await page.getByRole('option', { name: 'Token revoked' }).click()
    await entries.filter({ hasText: 'Pia' }).waitFor({ state: 'detached' })
    await entries.filter({ hasText: 'admin revoked the token of Odo' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('token.revoke', { exact: true }).first().waitFor()
    expect(await findings(page)).toEqual([])
    await page.getByRole('button', { name: 'All that was done to it' }).click()
    await page.getByText('2 entries', { exact: true }).waitFor()
    await eventually(async () =>
      expect(await entries.allTextContents()).toEqual([
        expect.stringContaining('admin revoked the token of Odo'),
        expect.stringContaining('admin created the token of Odo'),
      ]),
    )
    await page.getByRole('textbox', { name: 'Who' }).fill('nobody')
    await page.getByRole('heading', { name: 'No entry matches' }).waitFor()
    expect(await findings(page)).toEqual([])
    await page.goBack()
    await page.getByText('2 entries', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Clear' }).click()
    await entries.filter({ hasText: 'Pia' }).waitFor()
  })

  test('the runner is said to keep up, and what is wrong is said where a process is silent', async () => {
    const page = await open({ token: TOKEN, path: '/runner' })
    await page.getByText('The runner keeps up.').waitFor()
    await page.getByRole('region', { name: 'Processes' }).last().getByText('Works', { exact: true }).waitFor()
    await page.getByText('The clock of this device agrees with it.').waitFor()
    expect(await findings(page)).toEqual([])
    await server.db.prisma.$executeRaw`
      INSERT INTO instances (id, host, pid, started_at, last_seen_at, working)
      VALUES ('lost-1-x', 'lost', 1, now() - interval '1 day', now() - interval '2 minutes', 0)`
    await page.getByText('1 process is silent').waitFor()
    await page.getByRole('row', { name: /lost/ }).getByText('Silent').waitFor()
    expect(await findings(page)).toEqual([])
    await server.db.prisma.$executeRaw`DELETE FROM instances WHERE id = 'lost-1-x'`
    await page.getByText('The runner keeps up.').waitFor()
  })

  test('the runner is not judged by what was read long ago', async () => {
    const page = await open({ token: TOKEN, path: '/runner' })
    await page.getByText('The runner keeps up.').waitFor()
    await page.route('**/graphql', (route) =>
      route.request().postData()?.includes('query Runner') ? route.abort() : route.continue(),
    )
    await page.clock.fastForward(20_000)
    await page.getByText('How the runner is cannot be seen now').waitFor()
    expect(await page.getByText(/No process runs the runner|The runner keeps up|Silent/).count()).toBe(0)
    expect(await findings(page)).toEqual([])
    await page.unroute('**/graphql')
    await page.getByText('The runner keeps up.').waitFor()
  })

  test('an address that asks for what there is not is read as far as it can be', async () => {
    const page = await open({ token: TOKEN, path: '/runs?status=PAUSED&health=ILL&from=soon' })
    await page.getByText('No run matches').waitFor()
    await page.getByRole('button', { name: 'Clear' }).waitFor()
    await page.goto(`${server.url}/audit?who=5&action=`)
    await page.getByRole('heading', { name: 'No entry matches' }).waitFor()
    for (const [path, what] of [
      ['/runs?before=nowhere', '0 runs|1 run|[0-9]+ runs'],
      ['/audit?after=nowhere', '[0-9]+ entries'],
    ]) {
      await page.goto(server.url + path)
      await page.getByRole('button', { name: 'Show the newest' }).click()
      await page.getByText(new RegExp(`^(${what})$`)).waitFor()
      expect(new URL(page.url()).search).toBe('')
    }
    await page.goto(`${server.url}/calendar?view=century&on=2031-02-31`)
    await page.getByRole('link', { name: 'Next week' }).waitFor()
  })

  test('a page that has a fault says so, and the others are still there', async () => {
    const page = await open({ token: TOKEN, hasFault: true })
    await page.route('**/graphql', (route) =>
      route.request().postDataJSON().operationName === 'Runner'
        ? route.fulfill({ json: { data: { runner: { __typename: 'RunnerStatus' } } } })
        : route.continue(),
    )
    await page.goto(`${server.url}/runner`)
    await page.getByRole('heading', { name: 'This page of the console has a fault' }).waitFor()
    expect(await findings(page)).toEqual([])
    await page.getByRole('link', { name: 'Runs' }).click()
    await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor()
  })

  test('an old run is found: by filters in the address, page by page, and back from the run', async () => {
    const played = [{ key: 'play', steps: [{ actionId: 'core.log', params: { message: 'Go!' } }] }]
    const id = await server.run('found', played)
    await server.until(id, ({ status }) => status === 'COMPLETED')
    const definition = (await server.ask('{ definition(slug: "found") { id } }')).definition.id
    for (let number = 0; number < 51; number += 1) {
      await server.start({ definitionId: definition, scope: `hall ${number}` })
    }
    const page = await open({ token: TOKEN, path: '/runs' })
    const rows = page.getByRole('list', { name: 'Runs' }).getByRole('listitem')
    await page.getByRole('combobox', { name: 'Event' }).click()
    await page.getByRole('option', { name: /found/ }).click()
    await page.getByText('52 runs', { exact: true }).waitFor()
    expect(await rows.count()).toBe(50)
    expect(await findings(page)).toEqual([])
    await page.getByRole('button', { name: 'Older' }).click()
    await expect.poll(() => rows.count(), { timeout: 30_000 }).toBe(2)
    await rows.last().getByRole('link', { name: 'Event found' }).click()
    await page.getByRole('heading', { name: 'Event found' }).waitFor()
    await expect.poll(() => page.url()).toContain(id)
    await page.goBack()
    await expect.poll(() => rows.count(), { timeout: 30_000 }).toBe(2)
    await page.getByRole('button', { name: 'Newer' }).click()
    await expect.poll(() => rows.count(), { timeout: 30_000 }).toBe(50)
    await page.getByRole('textbox', { name: 'Scope' }).fill('hall 17')
    await page.getByText('1 run', { exact: true }).waitFor()
    await page.getByLabel('To', { exact: true }).fill('2001-01-01')
    await page.getByRole('heading', { name: 'No run matches' }).waitFor()
    expect(await findings(page)).toEqual([])
    await page.getByRole('button', { name: 'Show all runs' }).click()
    await page.getByRole('heading', { name: 'No run matches' }).waitFor({ state: 'detached' })
  })
})
