/** Sets the focus once the page shows what has just been changed: on the first of these that is there and can have it. */
export function focusSoon(...ids: string[]): void {
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      const found = ids
        .map((id) => document.getElementById(id))
        .find((element) => element !== null && canFocus(element))
      found?.focus()
      found?.scrollIntoView({ block: 'center' })
    }),
  )
}

const canFocus = (element: HTMLElement): boolean => !(element instanceof HTMLButtonElement && element.disabled)
