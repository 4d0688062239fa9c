import type { Issue } from '../domain/issue.ts'
import type { Occurrence } from '../domain/recurrence/occurrence.ts'
import { nextOccurrences } from '../domain/recurrence/occurrences.ts'
import { schedulePhrase } from '../domain/recurrence/phrase.ts'
import { compileSchedule } from '../domain/recurrence/schedule.ts'
import { normaliseSchedule } from '../domain/spec.ts'
import { checkSchedule, scheduleWarnings } from '../domain/validate-schedule.ts'
import { zoneProblem } from '../domain/zone.ts'
import { needs } from './access.ts'
import { builder } from './builder.ts'
import { pageSize } from './connection.ts'
import { InputIssue } from './errors.ts'
import { PlannedOccurrence } from './occurrence.ts'
import { ScheduleInput } from './spec-inputs.ts'

type Preview = { occurrences: Occurrence[]; phrase: string | null; issues: Issue[]; warnings: Issue[] }

const SchedulePreview = builder.objectRef<Preview>('SchedulePreview').implement({
  description: 'What a schedule that is still being written would do.',
  fields: (t) => ({
    occurrences: t.expose('occurrences', {
      type: [PlannedOccurrence],
      description: 'Its next occurrences; none while there are issues. At most 60 years are looked ahead.',
    }),
    phrase: t.exposeString('phrase', {
      nullable: true,
      description: 'The schedule in English; null while it is not in order, and for a manual one.',
    }),
    issues: t.expose('issues', { type: [InputIssue], description: 'What is wrong with it; empty: nothing.' }),
    warnings: t.expose('warnings', { type: [InputIssue], description: 'What is allowed but odd.' }),
  }),
})

builder.queryField('previewSchedule', (t) =>
  t.field({
    type: SchedulePreview,
    authScopes: needs('VIEWER'),
    description: 'A schedule that is still being written; what is wrong with it is in issues, and no error.',
    args: {
      schedule: t.arg({ type: ScheduleInput, required: true, description: 'As a draft takes it.' }),
      timeZone: t.arg({ type: 'TimeZone', required: true, description: 'The zone of its local times.' }),
      from: t.arg({ type: 'DateTime', description: 'The first instant that counts; now where omitted.' }),
      first: t.arg.int({ defaultValue: 10, required: false, description: 'How many occurrences, 0 to 500.' }),
    },
    resolve: (_root, { schedule: input, timeZone, from, first }, { control: { zones, clock } }): Preview => {
      const count = pageSize('first', first ?? 10)
      const schedule = normaliseSchedule(input)
      const ofZone = zoneProblem(timeZone)
      const issues = [
        ...(ofZone === null ? [] : [{ path: 'timeZone', message: ofZone }]),
        ...checkSchedule(schedule, { timeZone, zones }),
      ]
      if (issues.length > 0) return { occurrences: [], phrase: null, issues, warnings: [] }
      const compiled = compileSchedule(schedule, timeZone, zones)
      return {
        occurrences: nextOccurrences(compiled, from?.getTime() ?? clock.now(), count),
        phrase: schedulePhrase(schedule),
        issues,
        warnings: scheduleWarnings(schedule, { timeZone, zones }),
      }
    },
  }),
)
