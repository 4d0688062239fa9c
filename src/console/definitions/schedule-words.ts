import type { ScheduleWordsFragment } from '../../generated/console/documents.ts'
import { cityOf } from '../time/clock-text.ts'
import { showLocal } from '../time/local-text.ts'

/** When an event occurs by itself, in a few words; the phrase of a rule is the server's. */
export function scheduleWords(schedule: ScheduleWordsFragment, zone: string): string {
  switch (schedule.__typename) {
    case 'ManualSchedule':
      return 'Started by hand'
    case 'OnceSchedule':
      return schedule.at === '' ? 'Once; when is not said yet' : `Once, ${showLocal(schedule.at)}, ${cityOf(zone)} time`
    case 'RecurringSchedule': {
      const { phrase, rule, include, exclude } = schedule
      const except = exclude.length === 0 ? '' : `, but for ${count(exclude.length)}`
      const besides = include.length === 0 ? '' : `, and ${include.length} besides`
      if (phrase === null) return rule === '' ? 'By a rule that is not written yet' : `By a rule: ${rule}`
      return `${capital(phrase)}, ${cityOf(zone)} time${except}${besides}`
    }
  }
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const count = (exceptions: number): string => (exceptions === 1 ? '1 exception' : `${exceptions} exceptions`)
