/** The instant at which a day begins, as a field of type date names it, on the clock of this device; null: it names none. */
export const beginOfDay = (day: string | undefined): string | null => midnight(day, 0)

/** The instant at which it is over. */
export const endOfDay = (day: string | undefined): string | null => midnight(day, 1)

function midnight(day: string | undefined, later: number): string | null {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day ?? '') ?? []
  if (year === undefined) return null
  const at = new Date(Number(year), Number(month) - 1, Number(date) + later)
  return Number.isNaN(at.getTime()) ? null : at.toISOString()
}
