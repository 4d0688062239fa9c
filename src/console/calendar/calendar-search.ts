import { type Day, isDay } from '../time/day-field.ts'
import { addressText } from '../ui/address-text.ts'
import { VIEWS, type View } from './days.ts'

/** What the address of the calendar asks for. */
export type CalendarSearch = {
  view?: View
  on?: Day
  /** Id of the event. */
  event?: string
}

/** Of whatever stands in an address, what can be asked for. */
export function calendarSearch({ view, on, event }: Record<string, unknown>): CalendarSearch {
  const wanted = addressText(event)
  const known = VIEWS.find((each) => each === view)
  return {
    ...(known === undefined ? {} : { view: known }),
    ...(isDay(on) ? { on } : {}),
    ...(wanted === undefined ? {} : { event: wanted }),
  }
}
