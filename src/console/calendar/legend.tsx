import shared from './calendar.module.css'
import classes from './grid.module.css'
import { type Occurrence, remarksOf, statusOf } from './occurrence.ts'

/** What the signs mean of what is shown. */
export function Legend({ occurrences }: { occurrences: readonly Occurrence[] }) {
  const statuses = new Map(occurrences.map((occurrence) => [statusOf(occurrence).word, statusOf(occurrence)]))
  const remarks = new Map(occurrences.flatMap(remarksOf).map((remark) => [remark.kind, remark]))
  const signs = [...statuses.values(), ...[...remarks.values()].map((remark) => ({ ...remark, word: remark.name }))]
  if (signs.length === 0) return null
  return (
    <ul className={classes.legend} aria-label="Signs">
      {signs.map(({ word, tone, icon: Icon }) => (
        <li key={word}>
          <span className={shared.sign} data-tone={tone}>
            <Icon size={14} aria-hidden />
          </span>
          {word}
        </li>
      ))}
    </ul>
  )
}
