import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { TOKEN } from '../crash/server-process.ts'
import { browserPath, findings, NO_BROWSER, openBrowser, TIME, tooSmall } from './browser.ts'
import { everyPage, tokenOf } from './every-page.ts'
import { setTheScene } from './scene.ts'

const CONSOLE = 'src/console'
/** What lies over a page is one of these, by the names under which the console has them. */
const OVER = /<(Dialog|Drawer\.Root|Menu\.Target|Popover\.Target|HoverCard\.Target)\b/
/** How much wider the page is than what shows it. */
const OVER_THE_SIDE = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

/** Looks at every state of every page of the console, by day and by night, and lets axe look. */
export function lookEverywhere(where: string, { phone }: { phone: boolean }): void {
  describe.skipIf(browserPath === null)(`every page ${where}`, TIME, async () => {
    if (browserPath === null) return test.skip(NO_BROWSER)
    const scene = await setTheScene()
    const { open } = await openBrowser(scene.url)
    const pages = everyPage(scene, phone)

    test('every route of the console is looked at, and every dialog, drawer and menu', async () => {
      const page = await open({ token: TOKEN, phone })
      const routes = await page.evaluate<string[]>('Object.keys(self.__TSR_ROUTER__.routesByPath)')
      expect(Object.keys(pages).sort()).toEqual([...routes, 'no route'].sort())
      const looks = Object.values(pages).flatMap((visits) => visits.flatMap((visit) => visit.looks))
      const files = readdirSync(CONSOLE, { recursive: true, encoding: 'utf8' })
      const overlays = files.filter(
        (file) => file.endsWith('.tsx') && OVER.test(readFileSync(join(CONSOLE, file), 'utf8')),
      )
      expect([...new Set(looks.flatMap(({ over = [] }) => over))].sort()).toEqual(overlays.sort())
    })

    test.each(Object.keys(pages))('axe finds nothing at %s', async (route) => {
      const found: Record<string, string[]> = {}
      for (const visit of pages[route] ?? []) {
        const page = await open({ token: tokenOf(visit), path: visit.path, phone })
        for (const { at, show, over } of visit.looks) {
          await show(page)
          if (over !== undefined) await page.locator('[role=dialog], [role=menu]').last().waitFor()
          for (const scheme of ['dark', 'light'] as const) {
            await page.emulateMedia({ colorScheme: scheme })
            await page.locator(`html[data-mantine-color-scheme=${scheme}]`).waitFor()
            found[`${visit.path}: ${at}, ${scheme}`] = await findings(page)
          }
          if (phone) found[`${visit.path}: ${at}, for a thumb`] = await forAThumb(page)
        }
      }
      expect(Object.fromEntries(Object.entries(found).filter(([, of]) => of.length > 0))).toEqual({})
    })
  })
}

/** What of a page is too small to be pressed with a thumb, or stands out over the side. */
async function forAThumb(page: Page): Promise<string[]> {
  const beyond = await page.evaluate<number>(OVER_THE_SIDE)
  return [...(await tooSmall(page)), ...(beyond > 0 ? [`${beyond} px stand out over the side`] : [])]
}
