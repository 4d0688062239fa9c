import { pauseSchedule, resumeSchedule } from '../controls/schedules.ts'
import { uuidOf } from '../domain/ids.ts'
import { needs } from './access.ts'
import { builder } from './builder.ts'
import { actorOf } from './context.ts'
import { DefinitionIdInput } from './definition-mutations.ts'
import { resultUnion } from './errors.ts'
import { noSuch } from './ids.ts'
import { definitionPayload } from './payloads.ts'

const PauseScheduleResult = resultUnion('PauseSchedule', definitionPayload('PauseSchedule'))
const ResumeScheduleResult = resultUnion('ResumeSchedule', definitionPayload('ResumeSchedule'))

builder.mutationFields((t) => ({
  pauseSchedule: t.field({
    type: PauseScheduleResult,
    authScopes: needs('ADMIN'),
    description:
      'Pauses the schedule: it makes no runs, and those it made are MISSED at their instant. Runs started by hand and runs in flight go on. Needs ADMIN.',
    args: { input: t.arg({ type: DefinitionIdInput, required: true, description: 'Which definition.' }) },
    resolve: (_root, { input: { id, reason } }, context) => {
      const definitionId = uuidOf(id, 'Definition')
      return definitionId === null
        ? noSuch('definition', id)
        : pauseSchedule(context.control, actorOf(context), { id: definitionId, reason })
    },
  }),
  resumeSchedule: t.field({
    type: ResumeScheduleResult,
    authScopes: needs('ADMIN'),
    description: 'Lets the schedule go on; nothing of the pause is made up for. Needs ADMIN.',
    args: { input: t.arg({ type: DefinitionIdInput, required: true, description: 'Which definition.' }) },
    resolve: (_root, { input: { id, reason } }, context) => {
      const definitionId = uuidOf(id, 'Definition')
      return definitionId === null
        ? noSuch('definition', id)
        : resumeSchedule(context.control, actorOf(context), { id: definitionId, reason })
    },
  }),
}))
