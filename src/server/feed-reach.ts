import { DAY_MS } from '../domain/recurrence/civil.ts'

/** What is in the feed or is not: instants in milliseconds since the epoch, bytes of its text. */
export type Sized = { uid: string; at: number; bytes: number }

/** How far a feed that holds no more than `events` and `bytes` reaches at most, in days before and after now. */
export type Bounds = { back: number; ahead: number; events: number; bytes: number }

/** What is shown, in order; how far it reaches in days; and whether even of that only what is nearest to now is shown. */
export type Reach<Item> = { shown: Item[]; back: number; ahead: number; cut: boolean }

/** A shorter reach than this part of the whole is not tried: what is too much within it is cut. */
const SHORTEST = 1 / 256

/**
 * What a feed shows. What is to come goes before what is over: the past reaches half as far, and half of that, until it
 * has room beside the future, and the future does so only where it alone is too much. What is too much even in the
 * shortest reach is cut by its distance from now. `knownUntil`: from that instant on `items` may lack something.
 */
export function reachOf<Item extends Sized>(
  items: readonly Item[],
  { now, knownUntil, bounds }: { now: number; knownUntil: number; bounds: Bounds },
): Reach<Item> {
  const distance = ({ at }: Item) => Math.abs(at - now)
  const nearest = [...items].sort((a, b) => distance(a) - distance(b) || inOrder(a, b))
  const future = nearest.filter(({ at }) => at >= now)
  const past = nearest.filter(({ at }) => at < now)
  const within = (some: readonly Item[], days: number) => some.filter((item) => distance(item) < days * DAY_MS)
  const fits = (some: readonly Item[]) => frontOf(some, bounds).length === some.length
  const shortest = { back: bounds.back * SHORTEST, ahead: bounds.ahead * SHORTEST }

  const ahead = halved(bounds.ahead, (days) => now + days * DAY_MS <= knownUntil && fits(within(future, days)))
  if (ahead === null) {
    const close = new Set([...within(past, shortest.back), ...within(future, shortest.ahead)])
    const shown = frontOf(
      nearest.filter((item) => close.has(item)),
      bounds,
    )
    return { shown: shown.sort(inOrder), ...shortest, cut: true }
  }
  const coming = within(future, ahead)
  const back = halved(bounds.back, (days) => fits([...coming, ...within(past, days)]))
  const shown = frontOf([...coming, ...within(past, back ?? shortest.back)], bounds)
  return { shown: shown.sort(inOrder), back: back ?? shortest.back, ahead, cut: back === null }
}

const inOrder = (a: Sized, b: Sized): number => a.at - b.at || (a.uid < b.uid ? -1 : 1)

/** The first of these days, half of them, and half of that, that will do. */
function halved(days: number, willDo: (days: number) => boolean): number | null {
  for (let part = 1; part >= SHORTEST; part /= 2) if (willDo(days * part)) return days * part
  return null
}

/** As many from the front as there is room for. */
function frontOf<Item extends Sized>(items: readonly Item[], { events, bytes }: Bounds): Item[] {
  let left = bytes
  const end = items.slice(0, events).findIndex((item) => {
    left -= item.bytes
    return left < 0
  })
  return items.slice(0, end === -1 ? events : end)
}
