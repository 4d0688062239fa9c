import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { TOKEN } from '../crash/server-process.ts'
import { browserPath, findings, NO_BROWSER, openBrowser, TIME, tooSmall } from './browser.ts'
import { tokenOf, type Visit } from './look.ts'
import { pagesBehind } from './pages-behind.ts'
import { livePages } from './pages-live.ts'
import { setTheScene } from './scene.ts'

const CONSOLE = 'src/console'
/** What of axe's rules light and dark may differ by. */
const COLOURS = ['color-contrast', 'link-in-text-block']
/** What lies over a page is one of these, by the names under which the console has them. */
const OVER = /<(Dialog|Modal|Modal\.Root|Drawer|Drawer\.Root|Menu\.Target|Popover\.Target|HoverCard\.Target)\b(?!\.)/g
/** What the others are made of. */
const MADE_OF = join('ui', 'dialog.tsx')
/** What stands out over the side of a page that is wider than what shows it. */
const OVER_THE_SIDE = `(() => {
  const { scrollWidth, clientWidth } = document.documentElement
  return scrollWidth <= clientWidth ? [] : [...document.querySelectorAll('body *')]
    .filter((element) => element.getBoundingClientRect().right > clientWidth)
    .map((element) => 'over the side: ' + element.outerHTML.slice(0, 150))
})()`

/**
 * Looks at every state of every page of the console, half of them in one file, as they take so long: axe looks at them,
 * at a desk at their other colours too, and on a phone all must be large enough for a thumb and nothing wider than the page.
 */
export function lookEverywhere(which: 'live' | 'behind'): void {
  describe.skipIf(browserPath === null)(`pages ${which}`, TIME, async () => {
    if (browserPath === null) return test.skip(NO_BROWSER)
    const scene = await setTheScene()
    const { open } = await openBrowser(scene.url)
    const pages = which === 'live' ? livePages : pagesBehind

    test.runIf(which === 'live')(
      'every route of the console is looked at, and every dialog, drawer and menu',
      async () => {
        const all = { ...livePages(scene, false), ...pagesBehind(scene, false) }
        const page = await open({ token: TOKEN })
        const routes = await page.evaluate<string[]>('Object.keys(self.__TSR_ROUTER__.routesByPath)')
        expect(Object.keys(all).sort()).toEqual([...routes, 'no route'].sort())
        const looks = Object.values(all).flatMap((visits) => visits.flatMap((visit) => visit.looks))
        const files = readdirSync(CONSOLE, { recursive: true, encoding: 'utf8' })
        // Each time it stands in a file: a second one asks for a file, and a look, of its own.
        const overlays = files
          .filter((file) => file.endsWith('.tsx') && file !== MADE_OF)
          .flatMap((file) => (readFileSync(join(CONSOLE, file), 'utf8').match(OVER) ?? []).map(() => file))
        expect([...new Set(looks.flatMap(({ over = [] }) => over))].sort()).toEqual(overlays.sort())
      },
    )

    describe.each([
      ['at a desk', false],
      ['on a phone', true],
    ])('%s', (_where, phone) => {
      const visits = Object.values(pages(scene, phone)).flat()
      test.each(visits.map((visit) => [nameOf(visit), visit] as const))('%s', async (_name, visit) => {
        const found: Record<string, string[]> = {}
        const page = await open({ token: tokenOf(visit), path: visit.path, phone, goesOn: true })
        for (const { at, show, over } of visit.looks) {
          await show(page)
          if (over !== undefined) await page.locator('[role=dialog], [role=menu]').last().waitFor()
          await turn(page, 'dark')
          found[at] = await findings(page)
          if (!phone) {
            await turn(page, 'light')
            found[`${at}, light`] = await findings(page, { rules: COLOURS })
            continue
          }
          found[`${at}, for a thumb`] = await tooSmall(page)
          found[`${at}, its width`] = await page.evaluate<string[]>(OVER_THE_SIDE)
        }
        expect(Object.fromEntries(Object.entries(found).filter(([, of]) => of.length > 0))).toEqual({})
      })
    })
  })
}

async function turn(page: Page, scheme: 'dark' | 'light'): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme })
  await page.locator(`html[data-mantine-color-scheme=${scheme}]`).waitFor()
}

/** Where it leads, and what is seen there. */
const nameOf = ({ path, looks }: Visit) =>
  `${path.replace(/run_[0-9a-f-]+/, '…')}: ${looks.map(({ at }) => at).join(', ')}`
