import type { Page } from 'playwright-core'
import { TOKEN } from '../crash/server-process.ts'

/** What is looked at on a page, going on from the one before it. */
export type Look = {
  at: string
  /** The file in src/console of the dialog, drawer or menu that lies over the page then. */
  over?: string
  show(page: Page): Promise<unknown>
}

/** Somebody comes to an address, and looks at one thing after another. */
export type Visit = { path: string; token?: string | null; looks: readonly Look[] }

/** Visits by the path of their route. */
export type Pages = Readonly<Record<string, readonly Visit[]>>

export const tokenOf = ({ token = TOKEN }: Visit): string | null => token

export const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first().click()

export const heading = (name: string | RegExp) => (page: Page) => page.getByRole('heading', { name }).first().waitFor()

export const leave = async (page: Page) => {
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

export const tab = (name: string): Look => ({
  at: name,
  async show(page) {
    await page.getByRole('tab', { name }).click()
    await page.getByRole('tabpanel').waitFor()
    await page.getByText(/^Reading /).waitFor({ state: 'detached' })
  },
})

/** What a list is filtered by, which a phone has behind a button. */
export const filters: Look = {
  at: 'filters',
  async show(page) {
    const isPhone = (page.viewportSize()?.width ?? 0) < 768
    if (isPhone) await press(page, /^Filters/)
    await page.getByLabel('From', { exact: true }).waitFor()
  },
}
