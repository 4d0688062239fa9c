import type { GraphQLResolveInfo } from 'graphql'
import { includesRole } from '../domain/access.ts'
import { mayControl, RUN_CONTROLS, type RunControl } from '../domain/run.ts'
import { storableData } from '../domain/storable.ts'
import { type Waiting, waitingOn } from '../domain/waiting.ts'
import { countsOf, pagesOf } from '../store/keyset.ts'
import { type LogRow, logList } from '../store/log-reads.ts'
import { byRank, participantCounts } from '../store/participants.ts'
import { isShown } from '../store/run-reads.ts'
import type { Standing, StepTally } from '../store/situation-reads.ts'
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
import { asShown, standingOf } from './standing.ts'
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

const RUN_CONTROL_NAMES = Object.keys(RUN_CONTROLS) as RunControl[]

/** What a field needs for a column that moves while the run waits and runs. */
function moving<Name extends keyof Standing>(name: Name) {
  return {
    select: { [name]: true } as Record<Name, true>,
    resolve: (
      row: Pick<Standing, Name> & { id: string },
      _args: object,
      context: GraphqlContext,
      info: GraphQLResolveInfo,
    ) => asShown(row, (standing: Pick<Standing, Name>) => standing[name], { context, info }),
  }
}

/** A run's columns are loaded as they are asked for: it has fifty, and lists show a few of each of many runs. */
export const Run = builder.prismaNode('Run', {
  id: { field: 'id', description: 'run_<uuid>' },
  select: { id: true },
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
      select: { params: true },
      resolve: (row, _args, context, info) =>
        asShown(row, ({ params }: Pick<Standing, 'params'>) => objectOf(params), { context, info }),
    }),
    status: t.field({ type: RunStatus, description: 'Where it is in its life.', ...moving('status') }),
    health: t.field({ type: RunHealth, description: 'How well it goes.', ...moving('health') }),
    stalledSince: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Since when it is stalled; null when it is not, even if it once was.',
      ...moving('stalledSince'),
    }),
    cleanupStatus: t.field({
      type: CleanupStatus,
      description: 'How far taking back has got.',
      ...moving('cleanupStatus'),
    }),
    currentPhase: t.string({
      nullable: true,
      description: 'Key of the phase it is in; null before the first.',
      ...moving('currentPhase'),
    }),
    occurrenceAt: t.field({
      type: 'DateTime',
      description: 'The instant in the schedule that this run is the occurrence of.',
      ...moving('occurrenceAt'),
    }),
    occurrenceKey: t.exposeString('occurrenceKey', {
      description: 'Its identity within definition and scope: the nominal local time, or the instant.',
    }),
    scheduledFor: t.field({
      type: 'DateTime',
      description: 'When it starts; differs from occurrenceAt once rescheduled.',
      ...moving('scheduledFor'),
    }),
    timeZone: t.field({ type: 'TimeZone', description: 'The zone of its event.', ...moving('timeZone') }),
    concurrencyKey: t.string({
      nullable: true,
      description: 'Only one run at a time holds this; null: it takes none.',
      ...moving('concurrencyKey'),
    }),
    startedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it started.',
      ...moving('startedAt'),
    }),
    endedAt: t.field({ type: 'DateTime', nullable: true, description: 'When it ended.', ...moving('endedAt') }),
    startedBy: t.field({
      type: ActorRef,
      nullable: true,
      description: 'Who asked for it; SYSTEM for the schedule.',
      select: { startedByKind: true, startedByName: true },
      resolve: ({ startedByKind, startedByName }) => actorFrom(startedByKind, startedByName),
    }),
    lastError: t.string({
      nullable: true,
      description: 'What stops it or went wrong last; the log has all.',
      ...moving('lastError'),
    }),
    missedReason: t.field({
      type: MissedReason,
      nullable: true,
      description: 'Why it is MISSED.',
      ...moving('missedReason'),
    }),
    endedBecause: t.string({
      nullable: true,
      description: 'Why it is CANCELLED or FAILED, in words.',
      ...moving('endedBecause'),
    }),
    endedBy: t.field({
      type: ActorRef,
      nullable: true,
      description: 'Who ended it, where that was somebody.',
      select: { endedByKind: true, endedByName: true },
      resolve: (row, _args, context, info) =>
        asShown(
          row,
          ({ endedByKind, endedByName }: Pick<Standing, 'endedByKind' | 'endedByName'>) =>
            actorFrom(endedByKind, endedByName),
          { context, info },
        ),
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
          ...(phase == null ? {} : { phase: storableData(phase) }),
          ...(status == null ? {} : { status: { in: [...status] } }),
        },
        orderBy: [{ phaseIndex: 'asc' }, { seq: 'asc' }],
      }),
    }),
    stepCounts: t.field({
      type: [StepCount],
      description: 'How many steps are in which status; statuses that no step is in are left out.',
      resolve: async ({ id }, _args, context) => (await standingOf(id, 'steps', context)).stepCounts,
    }),
    waitingCues: t.int({
      description: 'How many cues wait for a person.',
      resolve: async ({ id }, _args, context) =>
        (await standingOf(id, 'steps', context)).stepCounts.reduce((sum, { parked }) => sum + parked, 0),
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
      resolve: async ({ id }, _args, context) => (await standingOf(id, 'resources', context)).unresolvedResources,
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
    resultsPublishedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the participants were ranked and published.',
      ...moving('resultsPublishedAt'),
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
      resolve: async ({ id }, _args, context) =>
        waitingOn(waitingView(await standingOf(id, 'situation', context), context)),
    }),
    allowedControls: t.field({
      type: [RunControlEnum],
      description: 'What the viewer may do to it now.',
      resolve: async ({ id }, _args, context) => {
        const situation = await standingOf(id, 'situation', context)
        const { status, cleanupStatus, held } = situation
        const view = { status, cleanupStatus, held, gateClosed: situation.gate !== null }
        return RUN_CONTROL_NAMES.filter(
          (control) => includesRole(context.role, RUN_CONTROLS[control].role) && mayControl(control, view),
        )
      },
    }),
  }),
})
