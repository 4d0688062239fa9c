import { claimCue, confirmCue, retryStep, skipStep } from '../controls/steps.ts'
import { uuidOf } from '../domain/ids.ts'
import { needs } from './access.ts'
import { builder } from './builder.ts'
import { actorOf } from './context.ts'
import { resultUnion } from './errors.ts'
import { noSuch } from './ids.ts'
import { cuePayload, stepPayload } from './payloads.ts'

const STEP_OR_CUE = "Id of the step; its cue's is accepted too."

const ClaimCueInput = builder.inputType('ClaimCueInput', {
  description: 'Which cue.',
  fields: (t) => ({
    id: t.id({ required: true, description: STEP_OR_CUE }),
    takeOver: t.boolean({ description: 'True: also where somebody else has it.' }),
  }),
})

const ConfirmCueInput = builder.inputType('ConfirmCueInput', {
  description: 'Which cue is done.',
  fields: (t) => ({
    id: t.id({ required: true, description: STEP_OR_CUE }),
    note: t.string({ description: 'What there is to say about it; kept with the step and in the log.' }),
  }),
})

const StepReasonInput = builder.inputType('StepReasonInput', {
  description: 'Which step, and why.',
  fields: (t) => ({
    id: t.id({ required: true, description: STEP_OR_CUE }),
    reason: t.string({ required: true, description: 'Why; kept in the log.' }),
  }),
})

const ClaimCueResult = resultUnion('ClaimCue', cuePayload('ClaimCue'))
const ConfirmCueResult = resultUnion('ConfirmCue', stepPayload('ConfirmCue'))
const SkipStepResult = resultUnion('SkipStep', stepPayload('SkipStep'))
const RetryStepResult = resultUnion('RetryStep', stepPayload('RetryStep'))

const stepUuid = (id: string) => uuidOf(id, 'Step', 'Cue')

builder.mutationFields((t) => ({
  claimCue: t.field({
    type: ClaimCueResult,
    authScopes: needs('MODERATOR'),
    description: '"I have it": names who does what a cue says, so that two do not do it twice. Needs MODERATOR.',
    args: { input: t.arg({ type: ClaimCueInput, required: true, description: 'Which cue.' }) },
    resolve: (_root, { input: { id, takeOver } }, context) => {
      const stepId = stepUuid(id)
      return stepId === null ? noSuch('cue', id) : claimCue(context.control, actorOf(context), { stepId, takeOver })
    },
  }),
  confirmCue: t.field({
    type: ConfirmCueResult,
    authScopes: needs('MODERATOR'),
    description: 'What a cue asked for is done: its run goes on. Needs MODERATOR.',
    args: { input: t.arg({ type: ConfirmCueInput, required: true, description: 'Which cue.' }) },
    resolve: (_root, { input: { id, note } }, context) => {
      const stepId = stepUuid(id)
      return stepId === null ? noSuch('cue', id) : confirmCue(context.control, actorOf(context), { stepId, note })
    },
  }),
  skipStep: t.field({
    type: SkipStepResult,
    authScopes: needs('MODERATOR'),
    description: 'Goes on without a step that is PENDING, or a cue that waits. Needs MODERATOR.',
    args: { input: t.arg({ type: StepReasonInput, required: true, description: 'Which step, and why.' }) },
    resolve: (_root, { input: { id, reason } }, context) => {
      const stepId = stepUuid(id)
      return stepId === null ? noSuch('step', id) : skipStep(context.control, actorOf(context), { stepId, reason })
    },
  }),
  retryStep: t.field({
    type: RetryStepResult,
    authScopes: needs('ADMIN'),
    description:
      'Makes a FAILED or REFUSED step of a PAUSED run PENDING again, as if it had not been tried; resume the run for it to be called. Needs ADMIN.',
    args: { input: t.arg({ type: StepReasonInput, required: true, description: 'Which step, and why.' }) },
    resolve: (_root, { input: { id, reason } }, context) => {
      const stepId = stepUuid(id)
      return stepId === null ? noSuch('step', id) : retryStep(context.control, actorOf(context), { stepId, reason })
    },
  }),
}))
