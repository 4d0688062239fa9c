import { NativeSelect } from '@mantine/core'
import { useRef } from 'react'
import { objectOf } from '../definitions/json.ts'
import { Section } from '../ui/section.tsx'
import classes from './draft.module.css'
import { useField } from './draft-context.ts'
import { IssuesHere } from './issues-here.tsx'
import { LocalField } from './local-field.tsx'
import { RecurrenceFields } from './recurrence-fields.tsx'
import { SchedulePreview } from './schedule-preview.tsx'

const SCHEDULE = ['schedule']
const ONCE_AT = ['schedule', 'once', 'at']

const FRESH: Readonly<Record<string, unknown>> = {
  manual: { manual: true },
  once: { once: { at: '' } },
  recurring: { recurring: { start: '', rule: 'FREQ=WEEKLY' } },
}

/** When the event occurs by itself. */
export function ScheduleFields() {
  const schedule = useField(SCHEDULE)
  const { once, recurring } = objectOf(schedule.value)
  const kind = recurring !== undefined ? 'recurring' : once !== undefined ? 'once' : 'manual'
  /** What was written for another kind, for who comes back to it. */
  const written = useRef<Record<string, unknown>>({})
  const choose = (next: string) => {
    written.current[kind] = schedule.value
    schedule.set(written.current[next] ?? FRESH[next])
  }
  return (
    <Section title="Schedule">
      <div className={classes.card}>
        <NativeSelect
          id={schedule.id}
          label="It occurs"
          value={kind}
          onChange={(event) => choose(event.currentTarget.value)}
          data={[
            { value: 'manual', label: 'when somebody starts it' },
            { value: 'once', label: 'once' },
            { value: 'recurring', label: 'again and again' },
          ]}
        />
        <IssuesHere path={SCHEDULE} />
        {kind === 'once' && <LocalField label="Day and time" path={ONCE_AT} />}
        {kind === 'recurring' && <RecurrenceFields />}
        {kind !== 'manual' && <SchedulePreview />}
      </div>
    </Section>
  )
}
