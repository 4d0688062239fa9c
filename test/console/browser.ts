import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, expect, onTestFinished } from 'vitest'
import { browserPath, FLAGS } from './browser-path.ts'

export { browserPath }

export const NO_BROWSER =
  'The console is not tested, as there is no browser: install Chromium (apt-get install chromium) or Google Chrome, or name another in CUELIGHT_TEST_BROWSER.'

if (browserPath === null) console.warn(NO_BROWSER)

/** For each test: a browser on a machine that is busy with something else. */
export const TIME = { timeout: 120_000 }

/** What a page may complain of while its server is away or refuses it; anything else is a fault. */
const EXPECTED = /Failed to load resource|WebSocket connection to/

type PageOptions = {
  /** Another way to the server. */
  url?: string
  path?: string
  /** Null: nobody is signed in. */
  token: string | null
  scheme?: 'light' | 'dark'
  phone?: boolean
  /** What it is about is a fault of the page. */
  hasFault?: boolean
}

/** A browser for the tests of a file, and pages in it of which each knows nothing of the others. */
export async function openBrowser(url: string) {
  const browser: Browser = await chromium.launch({ executablePath: browserPath ?? '', args: FLAGS })
  afterAll(() => browser.close())
  return {
    /** A page that is closed with its test, which fails where the page had a fault. */
    async open({
      url: way = url,
      path = '/',
      token,
      scheme = 'light',
      phone = false,
      hasFault = false,
    }: PageOptions): Promise<Page> {
      const context: BrowserContext = await browser.newContext({
        viewport: phone ? { width: 390, height: 844 } : { width: 1440, height: 900 },
        hasTouch: phone,
        isMobile: phone,
        colorScheme: scheme,
        reducedMotion: 'reduce',
        timezoneId: 'Europe/Berlin',
      })
      context.setDefaultTimeout(30_000)
      const page = await context.newPage()
      const faults: string[] = []
      page.on('pageerror', (error) => faults.push(String(error)))
      page.on('console', (message) => {
        if (message.type() === 'error' && !EXPECTED.test(message.text())) faults.push(message.text())
      })
      onTestFinished(async () => {
        await context.close()
        expect(hasFault ? faults.length > 0 : faults, faults.join('\n')).toEqual(hasFault ? true : [])
      })
      if (token !== null) await page.addInitScript(`localStorage.setItem('cuelight.token', ${JSON.stringify(token)})`)
      // Time goes on as ever, and may be moved on.
      await page.clock.install()
      await page.goto(way + path)
      return page
    },
  }
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe finds on a page as it stands, one line for each element. */
export async function findings(page: Page): Promise<string[]> {
  await page.evaluate(AXE)
  return page.evaluate<string[]>(`axe.run(document).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html + ' ' + failureSummary)))`)
}

/** Presses Tab until what has the focus is called so. */
export async function tabTo(page: Page, name: string): Promise<void> {
  const passed: string[] = []
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab')
    const focused = await page.evaluate<string>(
      `(document.activeElement?.labels?.[0] ?? document.activeElement)?.textContent?.trim() ?? ''`,
    )
    if (focused === name) return
    passed.push(focused)
  }
  throw new Error(`Tab comes by no "${name}", but by ${passed.join(', ')}.`)
}
