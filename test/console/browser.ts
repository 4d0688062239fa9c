import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, expect, onTestFinished } from 'vitest'
import { eventually } from '../support/eventually.ts'
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
  /** Goes on in the page of the test before it that said so and was alike, which costs half as much as a new one. */
  goesOn?: boolean
  /** What it is about is a fault of the page. */
  hasFault?: boolean
}

/** A browser for the tests of a file, and pages in it of which each knows nothing of the others, where nothing else is said. */
export async function openBrowser(url: string) {
  const browser: Browser = await chromium.launch({ executablePath: browserPath ?? '', args: FLAGS })
  afterAll(() => browser.close())
  const newPage = async ({ token, scheme, phone }: Required<Pick<PageOptions, 'token' | 'scheme' | 'phone'>>) => {
    const context = await browser.newContext({
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
    if (token !== null) await page.addInitScript(`localStorage.setItem('cuelight.token', ${JSON.stringify(token)})`)
    // Time goes on as ever, and may be moved on.
    await page.clock.install()
    return { page, faults }
  }
  const kept = new Map<string, Awaited<ReturnType<typeof newPage>>>()
  return {
    /** A page that is closed with its test, which fails where the page had a fault. */
    async open({
      url: way = url,
      path = '/',
      token,
      scheme = 'light',
      phone = false,
      goesOn = false,
      hasFault = false,
    }: PageOptions): Promise<Page> {
      const key = JSON.stringify([token, scheme, phone])
      const { page, faults } = (goesOn && kept.get(key)) || (await newPage({ token, scheme, phone }))
      if (goesOn) kept.set(key, { page, faults })
      onTestFinished(async () => {
        await (goesOn ? page.unrouteAll() : page.context().close())
        const found = faults.splice(0)
        expect(hasFault ? found.length > 0 : found, found.join('\n')).toEqual(hasFault ? true : [])
      })
      await page.goto(way + path)
      return page
    },
  }
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Nothing fades in or out any more: what goes on for ever, like the sign of a wait, is not meant. */
const SETTLED = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))).then(() =>
  Promise.allSettled(document.getAnimations()
    .filter((animation) => Number.isFinite(animation.effect?.getComputedTiming().endTime))
    .map(({ finished }) => finished)))`

/** What axe finds on a page as it stands once it has come to rest, one line for each element. */
export async function findings(page: Page, { rules }: { rules?: string[] } = {}): Promise<string[]> {
  await page.evaluate(`${SETTLED}.then(() => {})`)
  if (!(await page.evaluate<boolean>(`'axe' in globalThis`))) await page.evaluate(AXE)
  const options = { resultTypes: ['violations'], ...(rules === undefined ? {} : { runOnly: rules }) }
  return page.evaluate<string[]>(`axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html + ' ' + failureSummary)))`)
}

/** What has the focus, by the name that it is read out with; empty where nothing has it. */
const FOCUSED = `(() => {
  const it = document.activeElement
  if (it === null || it === document.body) return ''
  return (it.getAttribute('aria-label') ?? (it.labels?.[0] ?? it).textContent).trim() || it.id
})()`

export const focusedOn = (page: Page): Promise<string> => page.evaluate<string>(FOCUSED)

const isName = (found: string, name: string | RegExp) => (typeof name === 'string' ? found === name : name.test(found))

/** Waits until the focus has come to what is called so. */
export const untilFocusOn = (page: Page, name: string | RegExp): Promise<void> =>
  eventually(async () => {
    const found = await focusedOn(page)
    if (!isName(found, name)) throw new Error(`The focus is on "${found}" and not on "${name}".`)
  })

/** Presses Tab, or Shift and Tab, until what has the focus is called so; what has it must be seen all the way. */
export async function tabTo(page: Page, name: string | RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const passed: string[] = []
  for (let presses = 0; presses < 100; presses += 1) {
    await page.keyboard.press(key)
    const focused = await focusedOn(page)
    if (focused !== '' && !(await page.evaluate<boolean>(IS_SEEN)))
      throw new Error(`"${focused}" does not show the focus.`)
    if (isName(focused, name)) return
    passed.push(focused)
  }
  throw new Error(`${key} comes by no "${name}", but by ${passed.join(', ')}.`)
}

/** Whether what has the focus shows it: by an outline, of what stands for it too, or a field by its border. */
const IS_SEEN = `(() => {
  const it = document.activeElement
  const box = it.getBoundingClientRect()
  const around = [it, it.nextElementSibling, it.parentElement, it.parentElement?.parentElement]
  const isOutlined = [...around.map((one) => [one]), [it, '::after']].some(([one, part]) => {
    if (!one) return false
    const { outlineStyle, outlineWidth } = getComputedStyle(one, part)
    return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2
  })
  const probe = document.createElement('i')
  probe.style.color = 'var(--mantine-color-default-border)'
  document.body.append(probe)
  const plain = getComputedStyle(probe).color
  probe.remove()
  const isField = it.matches('input, textarea, select')
  const isMarked = isField && getComputedStyle(it).borderTopColor !== plain
  return box.bottom > 0 && box.top < innerHeight && (isOutlined || isMarked)
})()`

/** As high and as wide as a thumb needs. */
const THUMB_PX = 44

/** What stands in a page by itself to be pressed, and is smaller than a thumb needs, one line for each element. */
export const tooSmall = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`[...document.querySelectorAll(
    'button, summary, a, select, input:not([type=radio], [type=checkbox]), [role=tab], [role=menuitem], [role=option], label:has(input)'
  )].flatMap((part) => {
    // A field is all that looks like it.
    const element = part.matches('input') ? part.closest('.mantine-Input-input') ?? part : part
    const { width, height } = element.getBoundingClientRect()
    const isShown = width > 1 && height > 1 && element.checkVisibility()
    // A link in a text is as high as its line, and the link of a row is pressed anywhere in the row.
    const isInText = element.closest('p') !== null || (element.matches('a') && element.closest('td, dd, h2, h3, main li') !== null)
    return isShown && !isInText && (width < ${THUMB_PX} - 0.5 || height < ${THUMB_PX} - 0.5)
      ? ['too small: ' + element.outerHTML.slice(0, 120) + ' ' + element.textContent + ' ' + Math.round(width) + ' × ' + Math.round(height)]
      : []
  })`)
