/** A list with an item more, at a place. */
export const withItem = (list: readonly unknown[], at: number, item: unknown): unknown[] => [
  ...list.slice(0, at),
  item,
  ...list.slice(at),
]

export const withoutItem = (list: readonly unknown[], at: number): unknown[] => list.filter((_, index) => index !== at)

/** A list with an item moved to another place; the same where that is none. */
export function withItemMoved(list: readonly unknown[], from: number, to: number): unknown[] {
  if (to < 0 || to >= list.length) return [...list]
  return withItem(withoutItem(list, from), to, list[from])
}
