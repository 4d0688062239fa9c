import { describe, expect, test } from 'vitest'
import { TOKEN } from '../crash/server-process.ts'
import { eventually } from '../support/eventually.ts'
import { browserPath, findings, NO_BROWSER, openBrowser, TIME } from './browser.ts'
import { consoleServer, cue } from './console-server.ts'

const LINES = 50_000
/** Far more than a frame on a busy machine, far less than a page that hangs. */
const STUTTER_MS = 10_000

describe.skipIf(browserPath === null)('the console of a run', TIME, async () => {
  if (browserPath === null) return test.skip(NO_BROWSER)
  const server = await consoleServer()
  const { open } = await openBrowser(server.url)
  const gate = { trigger: { on: 'quiz.answered', count: 3, where: { field: 'points', op: 'GT', value: 1 } } }
  const inPhase = (id: string, phase: string) => server.until(id, ({ currentPhase }) => currentPhase === phase)
  const emit = () =>
    server.ask(
      'mutation { emitTrigger(input: { trigger: "quiz.answered", payload: { points: 2 } }) { ... on EmitTriggerPayload { matchedCount } ... on Error { message } } }',
    )

  test('its rundown, gate and log follow what happens, and a gate is forced with a reason', async () => {
    const id = await server.run('rundown', [
      { key: 'quiz', label: 'The quiz', steps: [{ actionId: 'core.log', params: { message: 'Go!' } }], advance: gate },
      { key: 'prizes', label: 'Prizes', steps: [cue('Cup', 'Hand out the cup.')] },
    ])
    await inPhase(id, 'quiz')
    const page = await open({ token: TOKEN, path: `/runs/${id}` })
    await page.getByRole('heading', { name: 'Event rundown' }).waitFor()
    const rundown = page.getByRole('region', { name: 'Rundown' })
    await rundown
      .getByText('The phase may end when quiz.answered has happened 3 times, where points is more than 1.')
      .waitFor()
    await rundown.getByText('0 of 3', { exact: true }).waitFor()
    // What has no label is called as its action is.
    await rundown.getByRole('button', { name: /^Write to the log ?: Done/ }).click()
    await rundown.getByText('core.log, step 1 of its phase').waitFor()
    await emit()
    await rundown.getByText('1 of 3', { exact: true }).waitFor()
    const log = page.getByRole('listbox', { name: 'Log' })
    await log.getByText('quiz.answered happened and counts: 1 of 3.').waitFor()

    await page.getByRole('button', { name: 'Advance …' }).click()
    const dialog = page.getByRole('dialog', { name: 'Force the gate of "quiz" open?' })
    await dialog.getByRole('button', { name: 'Open the gate' }).click()
    await dialog.getByText('Say why: who reads the log later will ask.').waitFor()
    expect(await findings(page)).toEqual([])
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('The hall is closing.')
    await dialog.getByRole('button', { name: 'Open the gate' }).click()
    await rundown.getByText('admin forced it open').waitFor()
    await page.getByRole('heading', { name: 'Hand out the cup.' }).waitFor()
    await page.getByRole('textbox', { name: 'Search the log' }).fill('HALL IS')
    await log.getByRole('option').filter({ hasText: 'The hall is closing.' }).waitFor()
    await page.getByText(/^1 of \d+ lines$/).waitFor()
    await page.getByRole('button', { name: 'Done', exact: true }).click()
    await page.getByText('Completed', { exact: true }).first().waitFor()
    await page.getByRole('button', { name: 'Cancel run …' }).waitFor({ state: 'detached' })
    await page.getByRole('tab', { name: 'People' }).click()
    await page.getByRole('heading', { name: 'Nobody took part' }).waitFor()
    await page.getByRole('tab', { name: 'Facts' }).click()
    expect(await findings(page)).toEqual([])
    await page.getByRole('link', { name: 'Event rundown' }).click()
    await page.getByText('Started by hand').waitFor()
    expect(await page.getByRole('button', { name: 'Pause schedule …' }).count()).toBe(0)
  })

  test('a control that comes too late says who was first', async () => {
    const id = await server.run('too-late', [{ key: 'doors', steps: [cue('Welcome', 'Welcome everybody.')] }])
    await server.until(id, ({ cues }) => cues.length === 1)
    const { token } = await server.tokenFor('Mira', 'MODERATOR')
    const page = await open({ token: TOKEN, path: `/runs/${id}` })
    await page.getByRole('button', { name: 'Pause …' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('It stops before its next step, until somebody resumes it.').waitFor()
    await server.ask('mutation ($id: ID!) { pauseRun(input: { id: $id }) { __typename } }', { id }, token)
    await page.getByText('Paused', { exact: true }).first().waitFor()
    await dialog.getByRole('button', { name: 'Pause it' }).click()
    await dialog.getByText('Somebody was first').waitFor()
    await dialog.getByText(/Mira paused this/).waitFor()
    expect(await findings(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await page.getByRole('button', { name: 'Resume …' }).waitFor()
  })

  test('a dialog stays while what was pressed is under way, and says what became of it', async () => {
    const id = await server.run('under-way', [{ key: 'doors', steps: [cue('Drums', 'Beat the drums.')] }])
    await server.until(id, ({ cues }) => cues.length === 1)
    const page = await open({ token: TOKEN, path: `/runs/${id}` })
    let letGo = () => {}
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('mutation PauseRun')) await held
      return route.continue()
    })
    await page.getByRole('button', { name: 'Pause …' }).click()
    const dialog = page.getByRole('dialog', { name: 'Pause this run?' })
    const asked = page.waitForRequest((request) => request.postData()?.includes('mutation PauseRun') ?? false)
    await dialog.getByRole('button', { name: 'Pause it' }).click()
    await asked
    expect(await dialog.getByRole('button', { name: 'Leave it' }).isDisabled()).toBe(true)
    await page.keyboard.press('Escape')
    await page.mouse.click(5, 400)
    // Somebody else is first meanwhile, which would not be told by a dialog that was left.
    await server.ask('mutation ($id: ID!) { pauseRun(input: { id: $id }) { __typename } }', { id })
    letGo()
    await dialog.getByText('Somebody was first').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  })

  test('a log that was deleted is said to be, and is no empty list', async () => {
    const id = await server.run('long-past', [{ key: 'quiz', label: 'The quiz', steps: [] }])
    await server.until(id, ({ status }) => status === 'COMPLETED')
    const page = await open({ token: TOKEN, path: `/runs/${id}` })
    await page.getByRole('option').first().waitFor()
    await server.db.prisma.logLine.deleteMany({ where: { runId: id.slice('run_'.length) } })
    await page.reload()
    await page.getByRole('heading', { name: 'Its log was deleted' }).waitFor()
    expect(await findings(page)).toEqual([])
  })

  test('after the server was away the log goes on behind its last line, and the rundown shows what is then true', async () => {
    const id = await server.run('away', [{ key: 'quiz', steps: [], advance: gate }])
    await inPhase(id, 'quiz')
    const page = await open({ token: TOKEN, path: `/runs/${id}` })
    const log = page.getByRole('listbox', { name: 'Log' })
    await log.getByText(/^The phase may end when/).waitFor()
    await server.kill()
    await page.getByText('The connection is lost.').waitFor()
    await server.startAgain()
    await emit()
    await emit()
    await page.getByText('2 of 3', { exact: true }).waitFor()
    await log.getByText('quiz.answered happened and counts: 2 of 3.').waitFor()
    const { run } = await server.ask('query ($id: ID!) { run(id: $id) { log { edges { node { line text } } } } }', {
      id,
    })
    const lines: { node: { line: number; text: string } }[] = run.log.edges
    await eventually(async () =>
      expect(await log.locator('[role=option] > span:last-child').allTextContents()).toEqual(
        lines.map(({ node }) => node.text),
      ),
    )
    expect(lines.at(-1)?.node.line).toBe(lines.length)
  })

  test('a log of tens of thousands of lines scrolls, is searched as a whole, and goes on', async () => {
    const id = await server.run('long', [{ key: 'quiz', steps: [], advance: gate }])
    await inPhase(id, 'quiz')
    const uuid = id.replace('run_', '')
    await server.db.prisma.$transaction([
      server.db.prisma.$executeRaw`
        INSERT INTO run_log (run_id, line, at, kind, actor_kind, actor_name, detail, text)
        SELECT id, last_line + number, now(), 'step.message', 'SYSTEM', 'cuelight', '{}', 'Message ' || number || ' of many.'
        FROM runs, generate_series(1, ${LINES}) AS number WHERE id = ${uuid}::uuid`,
      server.db.prisma.$executeRaw`UPDATE runs SET last_line = last_line + ${LINES} WHERE id = ${uuid}::uuid`,
    ])
    const page = await open({ token: TOKEN, path: `/runs/${id}` })
    const log = page.getByRole('listbox', { name: 'Log' })
    await log.getByText(`Message ${LINES} of many.`).waitFor()
    await page.getByText(/^50,0\d\d lines$/).waitFor()
    const scrolled = await page.evaluate<{ rows: number; slowest: number; blank: number[] }>(SCROLL_THROUGH)
    expect(scrolled.blank).toEqual([])
    expect(scrolled.rows).toBeLessThan(120)
    expect(scrolled.slowest).toBeLessThan(STUTTER_MS)
    await log.getByText(`Message ${LINES} of many.`).waitFor()
    const follow = page.getByRole('button', { name: 'Follow' })
    const follows = (pressed: 'true' | 'false') =>
      eventually(async () => expect(await follow.getAttribute('aria-pressed')).toBe(pressed))
    await follows('true')
    await log.focus()
    await page.keyboard.press('Home')
    await log.getByText('A run of version 1 was created').waitFor()
    await follows('false')

    await page.getByRole('textbox', { name: 'Search the log' }).fill('message 43210 of')
    await page.getByText(/^1 of 50,0\d\d lines$/).waitFor()
    await log.getByText('Message 43210 of many.').click()
    await page
      .getByRole('region', { name: /^Line 432\d\d$/ })
      .getByText('step.message')
      .waitFor()
    await page.getByRole('textbox', { name: 'Search the log' }).fill('')
    await log.focus()
    await page.keyboard.press('End')
    await log.getByText(`Message ${LINES} of many.`).waitFor()
    await emit()
    await log.getByText('quiz.answered happened and counts: 1 of 3.').waitFor()
  })

  test('a step that failed is told with its error, tried again with a reason, and the run resumed', async () => {
    const id = await server.run('failing', [
      { key: 'show', steps: [{ actionId: 'quiz.lights', label: 'Lights', onFailure: 'PAUSE', params: {} }] },
    ])
    await server.until(id, ({ status }) => status === 'PAUSED')
    const page = await open({ token: TOKEN, path: `/runs/${id}` })
    const rundown = page.getByRole('region', { name: 'Rundown' })
    await rundown.getByText('the fuse is blown').waitFor()
    await rundown.getByRole('button', { name: 'Retry …' }).click()
    await page.getByRole('textbox', { name: 'Reason' }).fill('A new fuse is in.')
    await page.getByRole('button', { name: 'Make it pending' }).click()
    await rundown.getByRole('button', { name: 'Retry …' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Resume …' }).click()
    await page.getByRole('button', { name: 'Resume it' }).click()
    await page.getByText('It is done.').waitFor()
    await server.until(id, ({ status }) => status === 'COMPLETED')
  })
})

/**
 * Up through the whole log in pages and down again: how many lines the page holds at most, the slowest stop until it shows
 * what belongs there, and the stops that never do.
 */
const SCROLL_THROUGH = `(async () => {
  const box = document.querySelector('[role=listbox]')
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  /** The places of the lines in sight, and whether each stands at its place and nothing is left blank. */
  const isFilled = () => {
    const { top, height } = box.getBoundingClientRect()
    const total = Number(document.querySelector('[role=option]')?.getAttribute('aria-setsize'))
    const row = box.firstElementChild.offsetHeight / total
    const first = Math.floor(box.scrollTop / row) + 1
    const last = Math.min(total, Math.floor((box.scrollTop + box.clientHeight) / row))
    for (let place = first; place <= last; place += 1) {
      const line = document.querySelector('[role=option][aria-posinset="' + place + '"]')
      if (line === null) return false
      const at = line.getBoundingClientRect().top - top + box.scrollTop
      if (Math.abs(at - (place - 1) * row) > 3) return false
    }
    return last > first + 3
  }
  let rows = 0
  let slowest = 0
  const blank = []
  const up = Array.from({ length: 42 }, (_, part) => 41 - part)
  for (const part of [...up, ...up.toReversed()]) {
    const before = performance.now()
    box.scrollTop = ((box.scrollHeight - box.clientHeight) * part) / 41
    let frames = 0
    do {
      await frame()
      frames += 1
    } while (!isFilled() && frames < 100)
    if (!isFilled()) blank.push(part)
    slowest = Math.max(slowest, performance.now() - before)
    rows = Math.max(rows, document.querySelectorAll('[role=option]').length)
  }
  return { rows, slowest, blank }
})()`
