import { includesRole } from '../domain/access.ts'
import { isTerminal, mayControl, RUN_CONTROLS, type RunControl } from '../domain/run.ts'
import { storableText } from '../domain/storable.ts'
import { type Waiting, waitingOn } from '../domain/waiting.ts'
import { countsOf, pagesOf } from '../store/keyset.ts'
import { type LogRow, logList } from '../store/log-reads.ts'
import { byRank, participantCounts } from '../store/participants.ts'
import { isShown, type StepTally, stepTallies, unresolvedResourceCounts } from '../store/run-reads.ts'
import { situationsOf } from '../store/situation-reads.ts'
import { batched, shared } from './batch.ts'
import { builder } from './builder.ts'
import { type CursorKind, connectionFrom, pageSize, readSlice } from './connection.ts'
import type { GraphqlContext } from './context.ts'
import { Cue } from './cue.ts'
import { filterUuid } from './ids.ts'
import { RunLogEntry, RunLogFilter } from './log.ts'
import {
  CleanupStatus,
  MissedReason,
  RunControlEnum,
  RunHealth,
  RunSource,
  RunStatus,
  WaitingKind,
} from './run-enums.ts'
import { ResourceStatus } from './run-parts.ts'
import { waitingView } from './situation.ts'
import { StepStatus } from './step.ts'
import { objectOf } from './stored-json.ts'
import { ActorRef, actorFrom } from './viewer.ts'

const LOG_CURSOR: CursorKind = { name: 'log', values: ['int'] }

const StepCount = builder.objectRef<StepTally>('StepCount').implement({
  description: 'How many steps of a run are in one status.',
  fields: (t) => ({
    status: t.expose('status', { type: StepStatus, description: 'The status.' }),
    count: t.exposeInt('count', { description: 'How many are in it; never 0.' }),
  }),
})

const WaitingOn = builder.objectRef<Waiting>('WaitingOn').implement({
  description: 'Why nothing is happening right now.',
  fields: (t) => ({
    kind: t.expose('kind', { type: WaitingKind, description: 'What is waited for.' }),
    description: t.exposeString('description', { description: 'The same in a sentence for people.' }),
    until: t.expose('until', {
      type: 'DateTime',
      nullable: true,
      description: 'When it ends by itself, where that is known.',
    }),
  }),
})

const JUST_ENDED: Waiting = {
  kind: 'RUNNER',
  description: 'The run has ended while this was being answered; ask again to see how.',
  until: null,
}

const RUN_CONTROL_NAMES = Object.keys(RUN_CONTROLS) as RunControl[]

const tallies = (context: GraphqlContext) =>
  shared(context, 'step tallies', (ids) => stepTallies(context.control.db, ids))
const situations = (context: GraphqlContext) =>
  shared(context, 'situations', (ids) => situationsOf(context.control.db, ids, context.control.clock.now()))

/** The situation of a run. A run that the API shows has one. */
async function situationOf(id: string, context: GraphqlContext) {
  const situation = await situations(context).load(id)
  if (situation === undefined) throw new Error(`run ${id} is gone`)
  return situation
}

export const Run = builder.prismaNode('Run', {
  id: { field: 'id', description: 'run_<uuid>' },
  description: 'One occurrence of an event in one scope. It exists before it starts.',
  fields: (t) => ({
    definition: t.relation('definition', { description: 'What it is a run of.' }),
    version: t.relation('version', { description: 'The version that it takes everything from.' }),
    scope: t.exposeString('scope', {
      description: "Where it happens: a shard, a region, a channel; '' when there is none.",
    }),
    source: t.expose('source', { type: RunSource, description: 'Who made it.' }),
    rehearsal: t.exposeBoolean('rehearsal', {
      description: 'True: real timing and cues, nothing changed in the world.',
    }),
    params: t.field({
      type: 'JSONObject',
      description: 'The values of its parameters.',
      resolve: ({ params }) => objectOf(params),
    }),
    status: t.expose('status', { type: RunStatus, description: 'Where it is in its life.' }),
    health: t.expose('health', { type: RunHealth, description: 'How well it goes.' }),
    stalledSince: t.expose('stalledSince', {
      type: 'DateTime',
      nullable: true,
      description: 'Since when it is stalled; null when it is not, even if it once was.',
    }),
    cleanupStatus: t.expose('cleanupStatus', { type: CleanupStatus, description: 'How far taking back has got.' }),
    currentPhase: t.exposeString('currentPhase', {
      nullable: true,
      description: 'Key of the phase it is in; null before the first.',
    }),
    occurrenceAt: t.expose('occurrenceAt', {
      type: 'DateTime',
      description: 'The instant in the schedule that this run is the occurrence of.',
    }),
    occurrenceKey: t.exposeString('occurrenceKey', {
      description: 'Its identity within definition and scope: the nominal local time, or the instant.',
    }),
    scheduledFor: t.expose('scheduledFor', {
      type: 'DateTime',
      description: 'When it starts; differs from occurrenceAt once rescheduled.',
    }),
    timeZone: t.expose('timeZone', { type: 'TimeZone', description: 'The zone of its event.' }),
    concurrencyKey: t.exposeString('concurrencyKey', {
      nullable: true,
      description: 'Only one run at a time holds this; null: it takes none.',
    }),
    startedAt: t.expose('startedAt', { type: 'DateTime', nullable: true, description: 'When it started.' }),
    endedAt: t.expose('endedAt', { type: 'DateTime', nullable: true, description: 'When it ended.' }),
    startedBy: t.field({
      type: ActorRef,
      nullable: true,
      description: 'Who asked for it; SYSTEM for the schedule.',
      resolve: ({ startedByKind, startedByName }) => actorFrom(startedByKind, startedByName),
    }),
    lastError: t.exposeString('lastError', {
      nullable: true,
      description: 'What stops it or went wrong last; the log has all.',
    }),
    missedReason: t.expose('missedReason', { type: MissedReason, nullable: true, description: 'Why it is MISSED.' }),
    endedBecause: t.exposeString('endedBecause', {
      nullable: true,
      description: 'Why it is CANCELLED or FAILED, in words.',
    }),
    endedBy: t.field({
      type: ActorRef,
      nullable: true,
      description: 'Who ended it, where that was somebody.',
      resolve: ({ endedByKind, endedByName }) => actorFrom(endedByKind, endedByName),
    }),
    supersededBy: t.relation('supersededBy', {
      nullable: true,
      description: 'The version whose publishing cancelled it, because it is no longer in the schedule.',
    }),
    steps: t.relation('steps', {
      description: 'In the order of the spec; later phases appear when they are entered.',
      args: {
        phase: t.arg.string({ description: 'Of the phase with this key.' }),
        status: t.arg({ type: [StepStatus], description: 'In one of these statuses.' }),
      },
      query: ({ phase, status }) => ({
        where: {
          ...(phase == null ? {} : { phase: storableText(phase) }),
          ...(status == null ? {} : { status: { in: [...status] } }),
        },
        orderBy: [{ phaseIndex: 'asc' }, { seq: 'asc' }],
      }),
    }),
    stepCounts: t.field({
      type: [StepCount],
      description: 'How many steps are in which status; statuses that no step is in are left out.',
      resolve: async ({ id }, _args, context) => (await tallies(context).load(id)) ?? [],
    }),
    waitingCues: t.int({
      description: 'How many cues wait for a person.',
      resolve: async ({ id }, _args, context) =>
        ((await tallies(context).load(id)) ?? []).reduce((sum, { parked }) => sum + parked, 0),
    }),
    cues: t.relation('steps', {
      type: Cue,
      description: 'The cues that wait for a person, oldest first.',
      query: () => ({ where: { parked: true }, orderBy: [{ parkedAt: 'asc' }, { id: 'asc' }] }),
    }),
    gates: t.relation('gates', {
      description: 'Every gate that was armed, in the order of the phases.',
      query: () => ({ orderBy: { phaseIndex: 'asc' } }),
    }),
    budget: t.relation('budget', {
      description: 'The meters of its countable effects.',
      query: () => ({ orderBy: { dimension: 'asc' } }),
    }),
    resources: t.relation('resources', {
      description:
        'What it left in the world, oldest first. What a step may have made is among it once it could not be taken back.',
      args: {
        status: t.arg({ type: [ResourceStatus], description: 'In one of these statuses.' }),
        first: t.arg.int({ defaultValue: 500, description: 'At most this many: 0 to 500.' }),
      },
      query: ({ status, first }, { control }) => ({
        where: {
          ...isShown(control.db),
          ...(status == null ? {} : { status: { in: [...status] } }),
        },
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
        take: pageSize('first', first ?? 500),
      }),
    }),
    unresolvedResources: t.int({
      description: 'How much of what it left in the world is still to be dealt with.',
      resolve: async ({ id }, _args, context) =>
        (await shared(context, 'unresolved resources', (ids) => unresolvedResourceCounts(context.control.db, ids)).load(
          id,
        )) ?? 0,
    }),
    participants: t.relation('participants', {
      description: 'Who takes part, by rank and then member key; unranked ones last.',
      args: { first: t.arg.int({ defaultValue: 500, description: 'At most this many: 0 to 500.' }) },
      query: ({ first }) => ({
        orderBy: byRank,
        take: pageSize('first', first ?? 500),
      }),
    }),
    participantCount: t.int({
      description: 'How many take part.',
      resolve: async ({ id }, _args, context) =>
        (await shared(context, 'participant counts', (ids) => participantCounts(context.control.db, ids)).load(id)) ??
        0,
    }),
    resultsPublishedAt: t.expose('resultsPublishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the participants were ranked and published.',
    }),
    log: t.connection({
      type: RunLogEntry,
      description: 'What happened, line by line, in order.',
      args: { filter: t.arg({ type: RunLogFilter, description: 'Which lines; all where omitted.' }) },
      resolve: async ({ id }, { filter, ...args }, context, info) => {
        const { db } = context.control
        const slice = readSlice(args, LOG_CURSOR)
        const list = logList({ ...filter, stepId: filterUuid(filter?.stepId, 'Step') })
        const page = await batched(context, info, (ids) => pagesOf<LogRow>(db, ids, { list, slice })).load(id)
        return connectionFrom(page ?? { rows: [], more: false }, {
          slice,
          kind: LOG_CURSOR,
          keyOf: ({ line }) => [line],
          nodeOf: (row) => row,
          totalCount: async () =>
            (await batched(context, info, (ids) => countsOf(db, ids, list), 'count').load(id)) ?? null,
        })
      },
    }),
    waitingOn: t.field({
      type: WaitingOn,
      nullable: true,
      description:
        'Why nothing is happening right now, in one sentence and as data; null only for a run that has ended.',
      resolve: async (run, _args, context) => {
        const waiting = waitingOn(waitingView(await situationOf(run.id, context), context))
        // It ended since the rest of the answer was read, which shows it as live.
        return waiting === null && !isTerminal(run.status) ? JUST_ENDED : waiting
      },
    }),
    allowedControls: t.field({
      type: [RunControlEnum],
      description: 'What the viewer may do to it now.',
      resolve: async (run, _args, context) => {
        const situation = await situationOf(run.id, context)
        const { status, cleanupStatus, held } = situation
        const view = { status, cleanupStatus, held, gateClosed: situation.gate !== null }
        return RUN_CONTROL_NAMES.filter(
          (control) => includesRole(context.role, RUN_CONTROLS[control].role) && mayControl(control, view),
        )
      },
    }),
  }),
})
