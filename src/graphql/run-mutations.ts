import type { Result } from '../controls/result.ts'
import { advancePhase, cancelRun, endHold, pauseRun, rescheduleRun, resumeRun, retryCleanup } from '../controls/runs.ts'
import { startRun } from '../controls/start.ts'
import type { Role } from '../domain/access.ts'
import { uuidOf } from '../domain/ids.ts'
import { runById } from '../store/node-reads.ts'
import { needs } from './access.ts'
import { builder } from './builder.ts'
import { actorOf, type GraphqlContext } from './context.ts'
import { resultUnion } from './errors.ts'
import { noSuch } from './ids.ts'
import { found, type RunDone, runPayload } from './payloads.ts'

const StartRunInput = builder.inputType('StartRunInput', {
  description: 'Which event to run, where and when.',
  fields: (t) => ({
    definitionId: t.id({ required: true, description: 'Id of the definition; it has to be READY.' }),
    scope: t.string({ description: "Where it happens, up to 190 characters; '' where omitted." }),
    scheduledFor: t.field({
      type: 'DateTime',
      description: 'When to start; now where omitted. Not further back than the grace window.',
    }),
    params: t.field({
      type: 'JSONObject',
      description: 'Values for the parameters, by name; their defaults where omitted.',
    }),
    rehearsal: t.boolean({ description: 'True: real timing and cues, nothing changed in the world.' }),
    requestId: t.string({
      description: 'The same again answers the first run, so that a script may retry after a lost answer.',
    }),
  }),
})

const RescheduleRunInput = builder.inputType('RescheduleRunInput', {
  description: 'Which run to move, and to when.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'Id of the run.' }),
    scheduledFor: t.field({
      type: 'DateTime',
      required: true,
      description: 'The new start. Not further back than the grace window.',
    }),
    reason: t.string({ description: 'Why; kept in the log.' }),
  }),
})

const RunReasonInput = builder.inputType('RunReasonInput', {
  description: 'Which run, and why.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'Id of the run.' }),
    reason: t.string({ description: 'Why; kept in the log.' }),
  }),
})

const AdvancePhaseInput = builder.inputType('AdvancePhaseInput', {
  description: 'Whose gate to force open, and why.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'Id of the run.' }),
    phase: t.string({
      required: true,
      description: 'Key of the current phase, so that a double click does not force the next gate too.',
    }),
    reason: t.string({ required: true, description: 'Why; kept in the log.' }),
  }),
})

const StartRunPayload = builder.objectRef<RunDone & { created: boolean }>('StartRunPayload').implement({
  description: 'What StartRun answers when it was done.',
  fields: (t) => ({
    created: t.exposeBoolean('created', { description: 'False: the occurrence existed, and run is it.' }),
    run: t.prismaField({
      type: 'Run',
      description: 'The run as it is now.',
      resolve: (query, { runId }, _args, { control }) => found(runById(control.db, runId, query)),
    }),
  }),
})

const StartRunResult = resultUnion('StartRun', StartRunPayload)
const RescheduleRunResult = resultUnion('RescheduleRun', runPayload('RescheduleRun'))
const AdvancePhaseResult = resultUnion('AdvancePhase', runPayload('AdvancePhase'))

builder.mutationFields((t) => ({
  startRun: t.field({
    type: StartRunResult,
    authScopes: needs('ADMIN'),
    description: 'Creates a run of the current version, now or at an instant to come. Needs ADMIN.',
    args: { input: t.arg({ type: StartRunInput, required: true, description: 'What to run.' }) },
    resolve: (_root, { input }, context) => {
      const definitionId = uuidOf(input.definitionId, 'Definition')
      if (definitionId === null) return noSuch('definition', input.definitionId)
      return startRun(context.control, actorOf(context), { ...input, definitionId })
    },
  }),
  rescheduleRun: t.field({
    type: RescheduleRunResult,
    authScopes: needs('ADMIN'),
    description: 'Moves the start of a SCHEDULED run; the occurrence keeps its identity. Needs ADMIN.',
    args: { input: t.arg({ type: RescheduleRunInput, required: true, description: 'Which, and to when.' }) },
    resolve: (_root, { input: { id, ...move } }, context) => {
      const runId = uuidOf(id, 'Run')
      return runId === null ? noSuch('run', id) : rescheduleRun(context.control, actorOf(context), { runId, ...move })
    },
  }),
  advancePhase: t.field({
    type: AdvancePhaseResult,
    authScopes: needs('ADMIN'),
    description: 'Forces the gate of the current phase open; its open steps still have to finish. Needs ADMIN.',
    args: { input: t.arg({ type: AdvancePhaseInput, required: true, description: 'Which phase, and why.' }) },
    resolve: (_root, { input: { id, ...phase } }, context) => {
      const runId = uuidOf(id, 'Run')
      return runId === null ? noSuch('run', id) : advancePhase(context.control, actorOf(context), { runId, ...phase })
    },
  }),
}))

type RunVerb = (
  control: GraphqlContext['control'],
  actor: ReturnType<typeof actorOf>,
  input: { runId: string; reason?: string | null },
) => Promise<Result<{ runId: string }>>

/** A mutation that needs no more than the run and, perhaps, a reason. */
function runMutation(name: string, verb: RunVerb, { role, description }: { role: Role; description: string }) {
  const typeName = `${name.charAt(0).toUpperCase()}${name.slice(1)}`
  const result = resultUnion(typeName, runPayload(typeName))
  builder.mutationField(name, (t) =>
    t.field({
      type: result,
      authScopes: needs(role),
      description: `${description} Needs ${role}.`,
      args: { input: t.arg({ type: RunReasonInput, required: true, description: 'Which run, and why.' }) },
      resolve: (_root, { input: { id, reason } }, context) => {
        const runId = uuidOf(id, 'Run')
        return runId === null ? noSuch('run', id) : verb(context.control, actorOf(context), { runId, reason })
      },
    }),
  )
}

runMutation('cancelRun', cancelRun, {
  role: 'ADMIN',
  description: 'Ends a run that has not ended. A step in flight is left to finish: nothing recalls a sent command.',
})
runMutation('pauseRun', pauseRun, { role: 'MODERATOR', description: 'Stops a run before its next step.' })
runMutation('resumeRun', resumeRun, {
  role: 'MODERATOR',
  description: 'Lets a paused run go on, after the step that failed where one did.',
})
runMutation('endHold', endHold, { role: 'MODERATOR', description: 'Ends a hold: what was held goes on now.' })
runMutation('retryCleanup', retryCleanup, {
  role: 'ADMIN',
  description: 'Tries again what could not be taken back of a run that has ended.',
})
