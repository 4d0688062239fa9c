/** What the keyboard can go to. */
const FOCUSABLE =
  'a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, summary, [tabindex]:not([tabindex="-1"])'
/** A dialog that closes gives the focus back within this. */
const SETTLE_MS = 60

/** What has the focus, and what it stands in, from the inside out; each with its place among its neighbours. */
type Trail = readonly { element: Element; index: number }[]

/**
 * Whoever uses the keyboard goes on from where they were: when what has the focus is taken out of the page, what is
 * nearest to it gets it; when it is a button that does what it was pressed for, it itself once that is done. Of what
 * is nearest in a dialog that closed without giving it back, that is what is nearest in `main` to what had it there
 * last. Answers how to stop.
 */
export function keepFocus(main: HTMLElement): () => void {
  let last: Trail = []
  let lastInMain: Trail = []
  let timer: ReturnType<typeof setTimeout> | undefined

  const onFocus = ({ target }: FocusEvent) => {
    if (!(target instanceof Element) || target === document.body) return
    last = trailOf(target)
    if (main.contains(target)) lastInMain = last
  }
  const onBlur = ({ target }: FocusEvent) => {
    if (!(target instanceof Element)) return
    // What a person lets go of can have the focus all the while; a button may be enabled again by the next look.
    const isTaken = !canHaveFocus(target)
    setTimeout(() => {
      const isLetGo = !isTaken && canHaveFocus(target)
      if (isLetGo && target === last[0]?.element && isLost()) last = lastInMain = []
    })
  }
  const restore = () => {
    timer = undefined
    const held = last[0]?.element
    if (!isLost() || held === undefined) return
    if (held.checkVisibility() && !isDisabledForGood(held)) return focus(held)
    const found = nearest(last, document.body) ?? nearest(lastInMain, main)
    focus(found ?? main)
  }
  const onChange = () => {
    if (isLost() && timer === undefined) timer = setTimeout(restore, SETTLE_MS)
  }
  document.addEventListener('focusin', onFocus)
  document.addEventListener('focusout', onBlur)
  const observer = new MutationObserver(onChange)
  observer.observe(document.body, { subtree: true, childList: true, attributeFilter: ['disabled'] })
  return () => {
    document.removeEventListener('focusin', onFocus)
    document.removeEventListener('focusout', onBlur)
    observer.disconnect()
    clearTimeout(timer)
  }
}

/** A button that waits for what it does is enabled again after that; of others that is not known. */
const isDisabledForGood = (element: Element): boolean =>
  element.matches(':disabled') && !element.matches('[data-loading]')

const canHaveFocus = (element: Element): boolean =>
  element.isConnected && element.checkVisibility() && !element.matches(':disabled')

const isLost = (): boolean => document.activeElement === document.body || document.activeElement === null

function focus(element: Element): void {
  if (element instanceof HTMLElement) element.focus({ preventScroll: true })
}

function trailOf(from: Element): Trail {
  const trail: { element: Element; index: number }[] = []
  for (let element = from; element.parentElement !== null; element = element.parentElement) {
    trail.push({ element, index: [...element.parentElement.children].indexOf(element) })
  }
  return trail
}

/** What took the place of what is gone, or the next to it; null: nothing within `bound` can have the focus. */
function nearest(trail: Trail, bound: Element): Element | null {
  for (const [level, { element }] of trail.entries()) {
    if (element === bound) return null
    const index = trail[level - 1]?.index
    if (index === undefined || !element.isConnected) continue
    const children = [...element.children]
    for (const child of [...children.slice(index), ...children.slice(0, index).reverse()]) {
      const found = [child, ...child.querySelectorAll(FOCUSABLE)].find(
        (one) => one.matches(FOCUSABLE) && one.checkVisibility(),
      )
      if (found !== undefined) return found
    }
  }
  return null
}
