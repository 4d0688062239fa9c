import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { cuttable } from '../cli/cuttable.ts'
import { browserPath, findings, NO_BROWSER, openBrowser, TIME, tooSmall } from './browser.ts'
import { consoleServer, cue } from './console-server.ts'
import { untilLogIs } from './log-on-page.ts'

const INSTRUCTION = 'Go to Yew, free the orc lord and lead him to the town gate. Then press Done.'

describe.skipIf(browserPath === null)('Invasion of Yew', TIME, async () => {
  if (browserPath === null) return test.skip(NO_BROWSER)
  const server = await consoleServer({ modules: ['examples/invasion/world.ts'] })
  const { open } = await openBrowser(server.url)
  const event = JSON.parse(await readFile('examples/invasion/invasion-of-yew.json', 'utf8'))
  await server.publish(event.slug, event)
  const operator = await server.tokenFor('Olga', 'ADMIN')
  const gameMaster = await server.tokenFor('Mira', 'MODERATOR')
  const gameServer = await server.tokenFor('Shard', 'EMITTER')

  const slain = async (boss: string): Promise<number> => {
    const { emitTrigger } = await server.ask(
      `mutation ($payload: JSONObject!) { emitTrigger(input: { trigger: "shard.boss-slain", payload: $payload }) {
        ... on EmitTriggerPayload { matchedCount } ... on Error { message } } }`,
      { payload: { boss, level: 7 } },
      gameServer.token,
    )
    return emitTrigger.matchedCount
  }
  /** The log as it is in the table. */
  const written = async (id: string) => {
    const lines = await server.db.prisma.$queryRaw<{ line: number; kind: string; text: string; actor_name: string }[]>`
      SELECT line, kind, text, actor_name FROM run_log WHERE run_id = ${id.replace('run_', '')}::uuid ORDER BY line`
    expect(lines.map(({ line }) => line)).toEqual(lines.map((_, index) => index + 1))
    return lines
  }
  const texts = async (id: string) => (await written(id)).map(({ text }) => text)

  test('a game master on a phone and an operator at a desk play it to its end, over a connection that is lost', async () => {
    const way = await cuttable(server.url)
    const desk = await open({ token: operator.token })
    const phone = await open({ url: way.url, token: gameMaster.token, path: '/cues', phone: true })
    await phone.getByText('No cue waits for a person').waitFor()
    await countBuzzes(phone)

    await desk.getByRole('link', { name: 'Start a run' }).click()
    await desk.getByRole('link', { name: 'Invasion of Yew' }).click()
    await desk.getByRole('textbox', { name: 'Creatures per wave' }).fill('30')
    await desk.getByRole('button', { name: 'Start it now' }).click()
    await desk.waitForURL(/\/runs\/run_/)
    const id = desk.url().split('/').at(-1) ?? ''
    const rundown = desk.getByRole('region', { name: 'Rundown' })
    const log = desk.getByRole('listbox', { name: 'Log' })

    const card = phone.getByRole('article', { name: INSTRUCTION })
    await card.getByText('Nobody has it yet').waitFor()
    await phone.getByText(`New cue: ${INSTRUCTION}`).waitFor({ state: 'attached' })
    expect(await buzzes(phone)).toBe(1)
    expect(await tooSmall(phone)).toEqual([])
    await card.getByRole('button', { name: 'I have it' }).tap()
    await card.getByText('You have it').waitFor()
    const seen = desk.getByRole('article', { name: INSTRUCTION })
    await seen.getByText('Mira has it').waitFor()
    await log.getByText('30 × orc spawned in Yew').waitFor()

    await desk.getByRole('button', { name: 'Pause …' }).click()
    await desk.getByRole('textbox', { name: /^Reason/ }).fill('The shard lags.')
    await desk.getByRole('button', { name: 'Pause it' }).click()
    await desk.getByRole('button', { name: 'Resume …' }).waitFor()
    await card.getByRole('link', { name: 'Invasion of Yew' }).tap()
    await phone.getByText('Paused', { exact: true }).first().waitFor()
    await phone.getByRole('tab', { name: 'Log' }).tap()
    await untilLogIs(phone, await texts(id))
    expect(await tooSmall(phone)).toEqual([])

    way.cut()
    await phone.getByText('The connection is lost.').waitFor()
    await phone.getByText('Offline', { exact: true }).waitFor()
    expect(await findings(phone)).toEqual([])
    // What was read stays, and what is done meanwhile is not known here.
    await desk.getByRole('button', { name: 'Resume …' }).click()
    await desk.getByRole('textbox', { name: /^Reason/ }).fill('It runs smoothly again.')
    await desk.getByRole('button', { name: 'Resume it' }).click()
    await desk.getByRole('button', { name: 'Pause …' }).waitFor()
    await server.run('torches', [{ key: 'night', steps: [cue('Torches', 'Light the torches.')] }])
    await phone.getByText('Paused', { exact: true }).first().waitFor()
    await card.getByRole('button', { name: 'Note' }).tap()
    await card.getByLabel('Note').fill('He is at the gate.')
    await card.getByRole('button', { name: 'Done' }).tap()
    await card.getByText('The server could not be reached.').waitFor()
    await seen.getByText('Mira has it').waitFor()

    way.restore()
    await phone.getByText('The connection is lost.').waitFor({ state: 'detached' })
    await phone.getByText('Live', { exact: true }).waitFor()
    await phone.getByText('Paused', { exact: true }).first().waitFor({ state: 'detached' })
    await phone.getByText('2 waiting').waitFor({ state: 'attached' })
    await phone.getByText('New cue: Light the torches.').waitFor({ state: 'attached' })
    expect(await buzzes(phone)).toBe(2)
    await untilLogIs(phone, await texts(id))

    expect(await card.getByLabel('Note').inputValue()).toBe('He is at the gate.')
    await card.getByRole('button', { name: 'Done' }).dblclick()
    await card.waitFor({ state: 'detached' })
    await seen.waitFor({ state: 'detached' })
    await rundown.getByText('“He is at the gate.”').waitFor()
    await rundown.getByText('The phase may end when shard.boss-slain has happened, where boss is Orc Lord.').waitFor()
    await log.getByText('5 × orc captain spawned in Yew').waitFor()
    expect(await slain('Orc Captain')).toBe(0)
    expect(await slain('Orc Lord')).toBe(1)

    for (const page of [desk, phone]) {
      await page.getByText('It is done.').waitFor()
      await page.getByText('Completed', { exact: true }).first().waitFor()
    }
    await server.until(id, ({ status }) => status === 'COMPLETED')
    const lines = await written(id)
    const controls = lines.filter(({ kind }) => kind.endsWith('.control')).map((line) => [line.actor_name, line.text])
    expect(controls).toEqual([
      ['Mira', 'Mira claimed "Free the boss".'],
      ['Olga', 'Olga paused the run: The shard lags.'],
      ['Olga', 'Olga resumed the run: It runs smoothly again.'],
      ['Mira', 'Mira confirmed "Free the boss": He is at the gate.'],
    ])
    for (const page of [desk, phone])
      await untilLogIs(
        page,
        lines.map(({ text }) => text),
      )
    expect(await buzzes(phone)).toBe(2)
    expect(await findings(phone)).toEqual([])

    await desk.getByRole('tab', { name: 'Ledger' }).click()
    await expect.poll(() => desk.getByRole('row').getByText('Taken back').count(), { timeout: 30_000 }).toBe(3)
    await desk.getByRole('tab', { name: 'People' }).click()
    await desk.getByRole('row', { name: /^1 anya/ }).waitFor()
    expect(await findings(desk)).toEqual([])
  })
})

/** What a phone would do with `navigator.vibrate` is counted. */
const countBuzzes = (page: Page) =>
  page.evaluate(`globalThis.buzzes = 0; navigator.vibrate = () => { globalThis.buzzes += 1; return true }`)
const buzzes = (page: Page) => page.evaluate<number>('globalThis.buzzes')
