import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { TOKEN } from '../crash/server-process.ts'
import { browserPath, NO_BROWSER, openBrowser, TIME } from './browser.ts'
import { consoleServer, cue } from './console-server.ts'

/** Wider than a phone, and than half a desk. */
const WORD = 'https://wiki.example.com/'.padEnd(120, 'Donaudampfschifffahrt')

describe.skipIf(browserPath === null)('on a small phone', TIME, async () => {
  if (browserPath === null) return test.skip(NO_BROWSER)
  const server = await consoleServer()
  const { open } = await openBrowser(server.url)
  const definitionId = await server.publish('long', {
    title: WORD,
    description: WORD,
    concurrencyKey: `${WORD}{where}`,
    parameters: [{ name: 'where', label: WORD, default: WORD.slice(0, 60) }],
    spec: {
      schedule: { manual: true },
      phases: [{ key: 'doors', label: WORD, steps: [cue(WORD, WORD)], advance: { after: '1d' } }],
    },
  })
  const run = await server.start({ definitionId, scope: WORD })
  await server.until(run, ({ cues }) => cues.length === 1)
  /** It waits for the other's concurrency key. */
  const blocked = await server.start({ definitionId, scope: 'elsewhere' })

  const said = (text: string | RegExp) => (page: Page) => page.getByText(text).first().waitFor()
  const press = (name: string, then: string) => async (page: Page) => {
    await page.getByRole('button', { name }).first().click()
    await page.getByRole('dialog').getByText(then).waitFor()
  }
  test.each([
    ['/', said(/which holds the concurrency key/)],
    ['/cues', said('Nobody has it yet')],
    ['/runs', said(/which holds the concurrency key|Running/)],
    [`/runs/${run}`, said('Nobody has it yet')],
    [`/runs/${blocked}`, said(/which holds the concurrency key/)],
    ['/definitions', said('Version 1')],
    ['/definitions/long', press('Publish …', 'Nothing differs from version 1')],
    ['/definitions/long', press('Archive …', 'Reason')],
    ['/definitions/long/edit', said('Nothing is wrong with the draft.')],
    ['/start/long', said('At an instant')],
  ] as const)('long words make %s no wider than it is', async (path, show) => {
    const page = await open({ token: TOKEN, path, phone: true })
    await page.setViewportSize({ width: 360, height: 640 })
    await show(page)
    const wider = await page.evaluate<string[]>(`['html', '.mantine-Modal-content', 'main ul', 'main ol', 'main li']
      .flatMap((which) => [...document.querySelectorAll(which)])
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)
      .map(({ outerHTML, scrollWidth }) => scrollWidth + ' ' + outerHTML.slice(0, 120))`)
    expect(wider).toEqual([])
  })
})
