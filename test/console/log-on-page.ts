import type { Page } from 'playwright-core'
import { eventually } from '../support/eventually.ts'

/** Down through the log in steps of less than what is shown, a frame for each: every line that was shown, by its place. */
const COLLECT = `(async () => {
  const box = document.querySelector('[role=listbox]')
  const found = []
  const drawn = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  for (let top = 0; ; top += box.clientHeight / 2) {
    box.scrollTop = top
    await drawn()
    for (const row of document.querySelectorAll('[role=option]')) {
      found[Number(row.getAttribute('aria-posinset')) - 1] = row.lastElementChild.textContent
    }
    if (top + box.clientHeight >= box.scrollHeight) return found.map((text) => text ?? null)
  }
})()`

/** Waits until the log on a page says these lines, each once and in order, however long it is. */
export async function untilLogIs(page: Page, lines: readonly string[]): Promise<void> {
  await eventually(async () => {
    const shown = await page.evaluate<(string | null)[]>(COLLECT)
    if (JSON.stringify(shown) !== JSON.stringify(lines)) {
      throw new Error(`The log has ${JSON.stringify(lines)}, and the page shows ${JSON.stringify(shown)}.`)
    }
  })
}
