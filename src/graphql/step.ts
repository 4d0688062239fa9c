import { includesRole } from '../domain/access.ts'
import { mayControlStep, STEP_CONTROLS, type StepControl } from '../domain/step.ts'
import { furthestSteps } from '../store/situation-reads.ts'
import { shared } from './batch.ts'
import { builder } from './builder.ts'
import { OnFailure } from './spec.ts'
import { objectOf } from './stored-json.ts'

export const StepStatus = builder.enumType('StepStatus', {
  description: 'How far a step has got.',
  values: {
    PENDING: { description: 'To be done; not before dueAt, where that is set.' },
    RUNNING: { description: 'Its action is being called, or (parked) a person is waited for.' },
    DONE: { description: 'Done.' },
    FAILED: { description: 'Failed for good.' },
    SKIPPED: { description: 'A person skipped it.' },
    REFUSED: { description: 'Not called: the action is switched off, or a cap has no room.' },
    CANCELLED: { description: 'Its run ended before it was its turn.' },
  },
})

const StepControlEnum = builder.enumType('StepControl', {
  description: 'What a person may do to a step.',
  values: {
    CLAIM: { description: 'claimCue: "I have it".' },
    TAKE_OVER: { description: 'claimCue with takeOver: somebody else has it.' },
    CONFIRM: { description: 'confirmCue: done.' },
    SKIP: { description: 'skipStep.' },
    RETRY: { description: 'retryStep.' },
  },
})

const STEP_CONTROL_NAMES = Object.keys(STEP_CONTROLS) as StepControl[]

export const Step = builder.prismaNode('Step', {
  id: { field: 'id', description: 'step_<uuid>' },
  description: 'One call of an action in a run, and what came of it.',
  fields: (t) => ({
    run: t.relation('run', { description: 'The run that it is a step of.' }),
    phase: t.exposeString('phase', { description: 'Key of its phase.' }),
    seq: t.exposeInt('seq', { description: 'Its place in the phase, counted from 0.' }),
    actionId: t.exposeString('actionId', { description: 'Id of the action.' }),
    actionVersion: t.exposeInt('actionVersion', { description: 'The version of the action that publishing pinned.' }),
    label: t.exposeString('label', { nullable: true, description: 'Shown for the step, where the author gave one.' }),
    params: t.field({
      type: 'JSONObject',
      description: "What the action is called with, placeholders filled from the run's params.",
      resolve: ({ params }) => objectOf(params),
    }),
    status: t.expose('status', { type: StepStatus, description: 'How far it has got.' }),
    parked: t.exposeBoolean('parked', { description: 'RUNNING, held by no process, waiting for a person.' }),
    dueAt: t.expose('dueAt', {
      type: 'DateTime',
      nullable: true,
      description: "Not called before this instant: a hold, or a retry's backoff. Null: as soon as it is its turn.",
    }),
    attempts: t.exposeInt('attempts', {
      description: 'How often it was called since it was last made PENDING by a person.',
    }),
    onFailure: t.expose('onFailure', { type: OnFailure, description: 'What its failure does to the run.' }),
    idempotencyKey: t.exposeString('idempotencyKey', {
      description: 'The same for every attempt: the world can recognise a repeat by it.',
    }),
    lastError: t.exposeString('lastError', { nullable: true, description: 'What went wrong last; the log has all.' }),
    note: t.exposeString('note', {
      nullable: true,
      description: 'What the person who confirmed or skipped it had to say.',
    }),
    startedAt: t.expose('startedAt', { type: 'DateTime', nullable: true, description: 'When it was first called.' }),
    finishedAt: t.expose('finishedAt', { type: 'DateTime', nullable: true, description: 'When it came to its end.' }),
    allowedControls: t.field({
      type: [StepControlEnum],
      description: 'What the viewer may do to it now.',
      select: { run: { select: { status: true } } },
      resolve: async (step, _args, context) => {
        const failed = step.status === 'FAILED' || step.status === 'REFUSED'
        const furthest =
          failed &&
          ((await shared(context, 'furthest steps', (ids) => furthestSteps(context.control.db, ids)).load(step.id)) ??
            false)
        const view = {
          runStatus: step.run.status,
          status: step.status,
          parked: step.parked,
          claimed: step.cueClaimedByName !== null,
          furthest,
        }
        return STEP_CONTROL_NAMES.filter(
          (control) => includesRole(context.role, STEP_CONTROLS[control].role) && mayControlStep(control, view),
        )
      },
    }),
  }),
})
