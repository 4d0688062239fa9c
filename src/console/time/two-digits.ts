/** A count as clocks and dates have it: 07. */
export const twoDigits = (count: number): string => String(count).padStart(2, '0')
