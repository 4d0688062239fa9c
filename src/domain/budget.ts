/**
 * An amount with the 15 digits that a float keeps of a decimal, so that what people add up comes out as they would
 * write it: 0.1 and 0.2 are 0.3. PostgreSQL rounds alike when it makes a float a numeric.
 */
export const rounded = (amount: number): number => Number(amount.toPrecision(15))

/** What a meter shows after a cost; both 0 or more. */
export const spentAfter = (consumed: number, cost: number): number => rounded(consumed + cost)

/** Whether a cost fits; a null cap bounds nothing. */
export function hasRoom({ consumed, cost, cap }: { consumed: number; cost: number; cap: number | null }): boolean {
  return cap === null || spentAfter(consumed, cost) <= rounded(cap)
}
