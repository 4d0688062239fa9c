import type { Page, Request } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { TOKEN } from '../crash/server-process.ts'
import { eventually } from '../support/eventually.ts'
import { browserPath, findings, NO_BROWSER, openBrowser, TIME } from './browser.ts'
import { consoleServer, cue } from './console-server.ts'

describe.skipIf(browserPath === null)('the editor of a draft', TIME, async () => {
  if (browserPath === null) return test.skip(NO_BROWSER)
  const server = await consoleServer()
  const { open } = await openBrowser(server.url)
  const doors = { key: 'doors', label: 'Doors', steps: [cue('Welcome', 'Welcome everybody.'), cue('Sit', 'Sit down.')] }

  const read = async (slug: string) => {
    const { definition } = await server.ask(
      'query ($slug: String!) { definition(slug: $slug) { id title description timeZone graceSeconds updatedAt draftIssues { path } draft { asInput } } }',
      { slug },
    )
    return definition
  }
  const saved = (slug: string, holds: (draft: Awaited<ReturnType<typeof read>>) => boolean) =>
    eventually(async () => {
      const draft = await read(slug)
      if (!holds(draft)) throw new Error(`The draft is ${JSON.stringify(draft)}.`)
    })
  const edit = async (slug: string, { goesOn = true } = {}) => {
    const page = await open({ token: TOKEN, path: `/definitions/${slug}/edit`, goesOn })
    await page.getByRole('heading', { name: /^Draft of/ }).waitFor()
    return page
  }
  /** What is written is on its way to the server when somebody else changes the draft there. */
  const overtaken = async (
    page: Page,
    { write, by, token }: { write: () => Promise<void>; by: { id: string; [field: string]: unknown }; token: string },
  ) => {
    const isSave = (request: Request) => request.postData()?.includes('mutation UpdateDraft') === true
    let goOn: () => void = () => {}
    const changed = new Promise<void>((resolve) => {
      goOn = resolve
    })
    await page.route('**/graphql', async (route) => {
      if (isSave(route.request())) await changed
      return route.fallback()
    })
    const sent = page.waitForRequest(isSave)
    await write()
    await sent
    await server.change(by, token)
    goOn()
    await page.unrouteAll({ behavior: 'wait' })
  }
  const focused = (page: Page) => page.evaluate<string>('document.activeElement?.id ?? ""')

  test('an event is written as a form, saved as one types, with what is wrong beside the field', async () => {
    await server.define('written', [])
    const page = await edit('written')
    await page.getByText('1 thing to solve').waitFor()
    await page.getByRole('button', { name: 'Add a phase' }).click()
    const phase = page.getByRole('listitem', { name: /^phase 1/ })
    await phase.getByRole('textbox', { name: 'Phase' }).fill('Doors open')
    await phase.getByRole('button', { name: 'Add a step' }).click()
    await page.getByText('A step must name its action').first().waitFor()
    await phase.getByRole('combobox', { name: 'Action' }).fill('wait')
    await page.getByRole('option', { name: 'Wait (core.wait)' }).click()
    await phase.getByRole('textbox', { name: 'for' }).fill('90x')
    await phase.getByText('It must be a duration, and "90x" is none').waitFor()
    expect(await findings(page)).toEqual([])
    await phase.getByRole('button', { name: /^1.*Wait/ }).click()
    await page.getByRole('button', { name: 'Doors open › step 1 › Wait › params.for' }).click()
    await eventually(async () => expect(await focused(page)).toBe('draft.phases[0].steps[0].params.for'))
    await page.keyboard.press('Control+A')
    await page.keyboard.type('90s')
    await page.getByText('Ready to be published').waitFor()
    await page.getByText('Saved', { exact: true }).waitFor()
    const { draft, draftIssues } = await read('written')
    expect(draftIssues).toEqual([])
    expect(draft.asInput.phases).toEqual([
      { key: 'phase-1', label: 'Doors open', steps: [{ actionId: 'core.wait', params: { for: '90s' } }] },
    ])
    await page.getByRole('button', { name: 'Publish …' }).click()
    await page.getByRole('dialog', { name: 'Publish “Event written” as version 1?' }).waitFor()
  })

  test('what is only odd describes its field, which is not invalid for it', async () => {
    await server.define('odd', [{ key: 'only', steps: [{ actionId: 'core.log', params: { message: 'Go!' } }] }])
    const page = await edit('odd')
    await page.getByRole('button', { name: /^1.*Write to the log/ }).click()
    const message = page.getByRole('textbox', { name: 'message' })
    await message.fill('Go, { host }!')
    const odd = page.getByText(/^Allowed, but odd: /)
    await odd.waitFor()
    const describedBy = (await message.getAttribute('aria-describedby'))?.split(' ') ?? []
    const described = await Promise.all(describedBy.map((id) => page.locator(`[id="${id}"]`).textContent()))
    expect(described.join(' ')).toContain('Allowed, but odd: ')
    expect(await message.getAttribute('aria-invalid')).toBeNull()
    // Colours are faded over, until all has come to rest.
    expect(await findings(page)).toEqual([])
    const frame = await message.evaluate((element) => getComputedStyle(element).borderTopColor)
    const said = await odd.evaluate((element) => getComputedStyle(element).color)
    expect({ frame, said }).toEqual({ frame: 'rgb(217, 154, 28)', said: 'rgb(116, 71, 0)' })
    await message.fill('')
    await message.blur()
    await odd.waitFor({ state: 'detached' })
    const wrong = page.getByRole('combobox', { name: 'Time zone' })
    await wrong.fill('Mars/X')
    await wrong.and(page.locator('[aria-invalid="true"]')).waitFor()
  })

  test('steps are moved by keyboard, over the end of their phase too, and what is removed is brought back', async () => {
    await server.define('moved', [doors, { key: 'end', steps: [] }])
    const page = await edit('moved')
    const labels = async () => {
      const { phases } = (await read('moved')).draft.asInput
      return phases.map(({ steps }: { steps: { label: string }[] }) => steps.map(({ label }) => label).join())
    }
    const become = (...wanted: string[]) => eventually(async () => expect(await labels()).toEqual(wanted))
    await page.getByRole('button', { name: /^1.*Welcome/ }).focus()
    await page.keyboard.press('Alt+ArrowDown')
    await become('Sit,Welcome', '')
    await page.keyboard.press('Alt+ArrowDown')
    await become('Sit', 'Welcome')
    await page.getByRole('status').filter({ hasText: 'The step is now in phase 2.' }).waitFor({ state: 'attached' })
    await page.getByRole('button', { name: 'Move step 1, Welcome up' }).click()
    await become('Sit,Welcome', '')
    await page.getByRole('button', { name: 'Remove step 1, Sit' }).click()
    await become('Welcome', '')
    await page.getByRole('button', { name: 'Undo' }).click()
    await become('Sit,Welcome', '')
    await page.getByRole('button', { name: 'Move phase 1, Doors down' }).click()
    await become('', 'Sit,Welcome')
  })

  test('a server without triggers says so, and not that none is called so', async () => {
    await server.define('triggerless', [doors])
    const page = await open({ token: TOKEN })
    await page.route('**/graphql', async (route) => {
      const response = await route.fetch()
      const { data, ...rest } = await response.json()
      const json = { ...rest, data: data?.triggers === undefined ? data : { ...data, triggers: [] } }
      await route.fulfill({ response, json })
    })
    await page.goto(`${server.url}/definitions/triggerless/edit`)
    await page.getByRole('combobox', { name: 'The phase ends' }).selectOption('trigger')
    await page.getByRole('combobox', { name: 'What happens' }).click()
    await page.getByText('This server has no triggers: a module brings them.').waitFor()
    await page.unrouteAll({ behavior: 'wait' })
  })

  test('a gate waits for a trigger, with a condition on its payload that is told in words', async () => {
    await server.define('gated', [doors])
    const page = await edit('gated')
    await page.getByRole('combobox', { name: 'The phase ends' }).selectOption('trigger')
    await page.getByText('"on" must be the id of a trigger').first().waitFor()
    await page.getByRole('combobox', { name: 'What happens' }).click()
    await page.getByRole('option', { name: 'answered (quiz.answered)' }).click()
    await page.getByRole('textbox', { name: 'How often' }).fill('three')
    await page.getByText('Write a whole number, like 3.').first().waitFor()
    await page.getByText('Not saved').waitFor()
    await page.getByRole('textbox', { name: 'How often' }).fill('3')
    await page.getByRole('button', { name: 'Only where …' }).click()
    await page.getByRole('combobox', { name: 'Field' }).fill('points')
    await page.getByRole('combobox', { name: 'Comparison' }).selectOption('GTE')
    await page.getByRole('textbox', { name: 'Value' }).fill('5')
    await page.getByText('points is at least 5').waitFor()
    await page.getByRole('button', { name: 'And another comparison' }).click()
    await page.getByRole('combobox', { name: 'Field' }).last().fill('points')
    await page.getByRole('combobox', { name: 'Comparison' }).last().selectOption('NEQ')
    await page.getByRole('textbox', { name: 'Value' }).last().fill('7')
    await page.getByText('points is at least 5 and points is not 7').waitFor()
    expect(await findings(page)).toEqual([])
    expect((await read('gated')).draft.asInput.phases[0].advance.trigger).toEqual({
      on: 'quiz.answered',
      count: 3,
      where: {
        all: [
          { field: 'points', op: 'GTE', value: 5 },
          { field: 'points', op: 'NEQ', value: 7 },
        ],
      },
    })
  })

  test('two who write never overwrite each other: who and what is told, theirs is taken or mine is kept', async () => {
    const id = await server.define('shared', [doors])
    const { token } = await server.tokenFor('Mira', 'ADMIN')
    const page = await edit('shared')
    const title = page.getByRole('textbox', { name: 'Title' })
    await overtaken(page, {
      write: () => title.fill('Mine'),
      by: { id, description: 'Hers.', graceSeconds: 60 },
      token,
    })
    await page.getByText('Mira changed this draft while you wrote').waitFor()
    await page.getByRole('list', { name: 'What they changed' }).getByText('Hers.').waitFor()
    await page.getByRole('list', { name: 'What you changed' }).getByText('Mine').waitFor()
    expect(await findings(page)).toEqual([])
    expect((await read('shared')).title).toBe('Event shared')
    await page.getByRole('button', { name: 'Keep mine' }).click()
    await saved(
      'shared',
      (draft) => draft.title === 'Mine' && draft.description === 'Hers.' && draft.graceSeconds === 60,
    )
    await page.getByText('Saved', { exact: true }).waitFor()

    await overtaken(page, { write: () => title.fill('Mine again'), by: { id, title: 'Hers' }, token })
    await page.getByRole('button', { name: 'Take theirs' }).click()
    await eventually(async () => expect(await title.inputValue()).toBe('Hers'))
    await page.getByRole('button', { name: 'Undo' }).click()
    await saved('shared', (draft) => draft.title === 'Mine again')
    await page.getByText('Saved', { exact: true }).waitFor()

    await server.change({ id, title: 'Hers at last' }, token)
    await page.evaluate(`window.dispatchEvent(new Event('focus'))`)
    await page.getByText('Mira changed the draft; this is how it is now.').waitFor()
    expect(await title.inputValue()).toBe('Hers at last')
  })

  test('what is written while the server is away is kept, over closing the page too, and arrives', async () => {
    await server.define('away', [doors])
    const page = await edit('away')
    await server.kill()
    await page.getByText('The connection is lost.').waitFor()
    await page.getByRole('textbox', { name: 'Description' }).fill('Written in a tunnel.')
    await page.getByText('Kept in this browser', { exact: true }).waitFor()
    const kept = await page.evaluate<string>('JSON.stringify(localStorage)')
    await server.startAgain()
    await saved('away', (draft) => draft.description === 'Written in a tunnel.')
    await page.getByText('Saved', { exact: true }).waitFor()
    expect(await page.evaluate<string>('JSON.stringify(localStorage)')).not.toContain('tunnel')

    await server.change({ id: (await read('away')).id, description: 'Written since.' })
    const { token } = await server.tokenFor('Mira', 'ADMIN')
    const hers = await open({ token, path: '/definitions' })
    await hers.evaluate(`Object.assign(localStorage, ${kept})`)
    await hers.goto(`${server.url}/definitions/away/edit`)
    await hers.getByText('admin wrote this here, and it was not saved').waitFor()
    await hers.getByRole('list', { name: 'What was written' }).getByText('Written in a tunnel.').waitFor()
    expect(await findings(hers)).toEqual([])
    await hers.getByRole('button', { name: 'Drop it' }).click()
    await hers.getByText('admin wrote this here').waitFor({ state: 'detached' })
    expect(await hers.getByRole('textbox', { name: 'Description' }).inputValue()).toBe('Written since.')

    const other = await open({ token: TOKEN, path: '/definitions' })
    await other.evaluate(`Object.assign(localStorage, ${kept})`)
    await other.goto(`${server.url}/definitions/away/edit`)
    await other.getByText('admin changed this draft while you wrote').waitFor()
    await other.getByRole('list', { name: 'What you changed' }).getByText('Written in a tunnel.').waitFor()
    await other.getByRole('button', { name: 'Keep mine' }).click()
    await saved('away', (draft) => draft.description === 'Written in a tunnel.')
  })

  test('what no field is for is written as text; one that cannot be read stays, and reaches nothing', async () => {
    await server.define('as-text', [doors])
    const page = await edit('as-text')
    await page.getByText('Text', { exact: true }).click()
    const text = page.getByRole('textbox', { name: 'The draft as YAML' })
    const before = await text.inputValue()
    expect(before).toContain('instruction: Welcome everybody.')
    await text.fill(`${before}  - key: [`)
    await page.getByText(/^Line \d+, column \d+: /).waitFor()
    await page.getByText('First the text has to be one that can be read').waitFor()
    await page.getByText('Nothing is wrong with the draft.').waitFor({ state: 'detached' })
    await page.reload()
    expect(await text.inputValue()).toBe(`${before}  - key: [`)
    await page.getByRole('button', { name: 'Publish …' }).click()
    await page.getByText('Not saved', { exact: true }).waitFor()
    await page.getByText(/nothing can be published, until it can/).waitFor()
    expect(page.url()).toContain('/edit')
    expect(await findings(page)).toEqual([])
    await text.fill(
      `${before}  - key: end\n    steps:\n      - actionId: no.such\n        params: { deep: [1, { two: 3 }] }\n`,
    )
    await page.getByText('There is no action "no.such"').waitFor()
    await saved('as-text', ({ draft }) => draft.asInput.phases.length === 2)
    await page.getByText('Form', { exact: true }).click()
    await page.getByRole('button', { name: /^1.*no\.such/ }).click()
    await page.getByRole('textbox', { name: 'Params' }).fill('{"deep": [1,')
    await page.getByText('Params must be one JSON object').first().waitFor()
    await page.getByRole('textbox', { name: 'Params' }).fill('{"deep": [1, 2]}')
    await saved('as-text', ({ draft }) => draft.asInput.phases[1].steps[0].params.deep[1] === 2)
  })

  test('a letter costs about as much in a long draft as in a short one', async () => {
    const log = { actionId: 'core.log', params: { message: 'Go!' } }
    await server.define('short', [{ key: 'only', steps: [log] }])
    const phases = Array.from({ length: 15 }, (_, index) => ({ key: `phase-${index}`, steps: Array(20).fill(log) }))
    await server.define('long', phases)
    /** Answers what the scripts of the page take for some letters, in seconds of the processor. */
    const typist = async (slug: string) => {
      const page = await edit(slug, { goesOn: false })
      const title = page.getByRole('textbox', { name: 'Title' })
      await title.focus()
      const devtools = await page.context().newCDPSession(page)
      await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
      const scripts = async () => {
        const { metrics } = await devtools.send('Performance.getMetrics')
        return metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? Number.NaN
      }
      return async () => {
        const begun = await scripts()
        await title.pressSequentially('bcdefghi')
        return (await scripts()) - begun
      }
    }
    const [long, short] = [await typist('long'), await typist('short')]
    // The least of several: what else the machine does comes on top of it, and never below.
    const least: [long: number, short: number] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
    for (let round = 0; round < 4; round++) {
      least[0] = Math.min(least[0], await long())
      least[1] = Math.min(least[1], await short())
    }
    // Where each letter draws all steps anew, it is many times as much.
    expect(least[0]).toBeLessThan(4 * least[1])
  })

  test('a schedule is chosen, with its phrase, what is next, and where the clocks change', async () => {
    await server.define('recurring', [doors])
    const page = await edit('recurring')
    await page.getByRole('combobox', { name: 'It occurs' }).selectOption('recurring')
    await page.getByRole('textbox', { name: 'The rule' }).waitFor()
    await page.getByLabel('First day, and the time of day').fill('2040-03-10T02:30')
    const next = page.getByRole('region', { name: 'What is next' })
    await next.getByText('Every week on Saturday at 02:30.').waitFor()
    await page.getByText('Sunday', { exact: true }).click()
    await page.getByRole('textbox', { name: 'Every', exact: true }).fill('2')
    await next.getByText('Every 2 weeks on Sunday at 02:30.').waitFor()
    expect(await page.getByRole('textbox', { name: 'The rule' }).inputValue()).toBe('FREQ=WEEKLY;BYDAY=SU;INTERVAL=2')
    await next.getByText('Clocks skip 02:30: +60 min').waitFor()
    expect(await findings(page)).toEqual([])
    await next.locator('[tabindex="0"]').filter({ hasText: 'Clocks skip' }).focus()
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Tab')
    await page.getByRole('tooltip').getByText('the clocks go forward').waitFor()
    const [first] = await next.getByRole('button', { name: /^Leave out/ }).all()
    const leftOut = (await first?.getAttribute('aria-label'))?.replace('Leave out ', '')
    await first?.dblclick()
    await saved('recurring', ({ draft }) => draft.asInput.schedule.recurring.exclude?.join() === leftOut)
    await page.route('**/graphql', (route) =>
      route.request().postData()?.includes('PreviewSchedule') ? route.abort() : route.fallback(),
    )
    await page.getByRole('textbox', { name: 'The rule' }).fill('FREQ=DAILY')
    await page.getByText('The server could not be reached.').waitFor()
    expect(await next.count()).toBe(0)
    await page.unrouteAll()
    await page.getByRole('textbox', { name: 'The rule' }).fill('FREQ=SOMETIMES')
    await page.getByText('What is next is shown as soon as the schedule is in order.').waitFor()
    await page.getByRole('combobox', { name: 'It occurs' }).selectOption('once')
    await page.getByRole('combobox', { name: 'It occurs' }).selectOption('recurring')
    expect(await page.getByRole('textbox', { name: 'The rule' }).inputValue()).toBe('FREQ=SOMETIMES')
  })

  test('what is only odd is not framed as what is wrong', async () => {
    await server.define('odd-time', [doors], { schedule: { once: { at: '2040-03-11T02:30' } } })
    const page = await edit('odd-time')
    await page.getByText('Allowed, but odd: The clocks in America/New_York skip').waitFor()
    const field = page.getByLabel('Day and time')
    const frame = () =>
      page.evaluate<string>(`getComputedStyle(document.getElementById('draft.schedule.once.at')).borderTopColor`)
    const [odd, wrong] = await page.evaluate<string[]>(`['--wait-line', '--mantine-color-error'].map((colour) => {
      const probe = document.createElement('i')
      probe.style.color = 'var(' + colour + ')'
      document.body.append(probe)
      return getComputedStyle(probe).color
    })`)
    await eventually(async () => expect(await frame()).toBe(odd))
    await field.focus()
    await eventually(async () => expect(await frame()).toBe(odd))
    await field.fill('')
    await page.getByText('Choose a day and a time.').first().waitFor()
    await eventually(async () => expect(await frame()).toBe(wrong))
  })

  test('a viewer is told who writes drafts', async () => {
    await server.define('closed', [doors])
    const { token } = await server.tokenFor('Vera', 'VIEWER')
    const page = await open({ token, path: '/definitions/closed/edit' })
    await page.getByRole('heading', { name: 'The editor of a draft needs the role ADMIN' }).waitFor()
    expect(await findings(page)).toEqual([])
  })
})
