import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DocumentNode, parse } from 'graphql'
import { formatId } from '../../../src/domain/ids.ts'
import { executeOperation } from '../../../src/graphql/execute.ts'
import { schema } from '../../../src/graphql/schema.ts'
import { Registry } from '../../../src/modules/registry.ts'
import { systemClock } from '../../../src/runner/clock.ts'
import { Changes } from '../../../src/store/changes.ts'
import type { Database } from '../../../src/store/database.ts'
import { controlContext } from '../../support/context.ts'
import type { Filled } from './fill.ts'
import { type Figures, watched } from './watch.ts'

const CONSOLE = join(import.meta.dirname, '../../../src/console')
const DAY_MS = 86_400_000
export const CALLS = 200

/** What the console asks, and pages of lists as other clients ask for them. */
const documents = (): DocumentNode =>
  parse(
    [
      ...[
        'now/now.graphql',
        'run/run.graphql',
        'cues/cues.graphql',
        'definitions/definitions.graphql',
        'api/refusal.graphql',
      ].map((name) => readFileSync(join(CONSOLE, name), 'utf8')),
      `query Runs($filter: RunFilter, $first: Int, $after: String) {
        runs(filter: $filter, first: $first, after: $after) { pageInfo { hasNextPage } edges { cursor node { ...RunRow } } }
      }
      query RunsCounted($filter: RunFilter, $first: Int) {
        runs(filter: $filter, first: $first) { totalCount edges { node { ...RunRow } } }
      }
      query RunsOfDefinition($id: ID!) {
        definition(id: $id) { id runs(first: 50) { edges { node { ...RunRow } } } }
      }
      query Log($id: ID!, $filter: RunLogFilter, $after: String) {
        run(id: $id) {
          log(first: 100, filter: $filter, after: $after) { edges { cursor node { line at kind phase text detail } } }
        }
      }
      query Calendar($from: DateTime!, $to: DateTime!, $definitionId: ID, $scope: String) {
        calendar(from: $from, to: $to, definitionId: $definitionId, scope: $scope) {
          at local timeZone projected contends definition { id title } run { id status }
        }
      }
      query Entries($from: DateTime!, $to: DateTime!, $definitionId: ID, $times: Boolean!, $event: Boolean!, $run: Boolean!) {
        calendar(from: $from, to: $to, definitionId: $definitionId) {
          projected contends at @include(if: $times) local @include(if: $times) timeZone @include(if: $times)
          definition @include(if: $event) { id title } run @include(if: $run) { id status }
        }
      }
      query Audit($filter: AuditFilter, $after: String) {
        auditLog(first: 50, filter: $filter, after: $after) { edges { cursor node { at action subject actor { name } } } }
      }`,
    ].join('\n'),
  )

type Ask = (operationName: string, variables: Record<string, unknown>) => Promise<unknown>

function asking(db: Database, document: DocumentNode): Ask {
  const registry = new Registry()
  const control = controlContext({ db, changes: new Changes(), clock: systemClock, catalog: registry })
  return async (operationName, variables) => {
    const { data, errors } = await executeOperation({
      schema,
      document,
      operationName,
      variableValues: variables,
      contextValue: {
        actor: { kind: 'TOKEN', name: 'bench' },
        role: 'ADMIN',
        control,
        registry,
        publicUrl: null,
        onFault: ({ error }) => console.error(error),
        onOutage: console.error,
      },
    })
    if (errors !== undefined) throw new Error(JSON.stringify(errors))
    // As it goes over the wire.
    return JSON.parse(JSON.stringify(data))
  }
}

type Variables = Record<string, unknown>
/** `begin` asks for what the variables need, once. */
type Case = {
  name: string
  operation: string
  variables?: Variables | ((index: number) => Variables)
  begin?: (ask: Ask) => Promise<Variables>
}

const runsBy = (name: string, filter: Variables): Case => ({
  name: `runs, ${name}`,
  operation: 'Runs',
  variables: { first: 50, filter },
})

function casesOf({ now, largest, busy, usual, longRun, crowdedRun, size }: Filled): Case[] {
  const at = (days: number) => new Date(now.getTime() + days * DAY_MS).toISOString()
  const [big, active, common] = [largest, busy, usual].map((id) => formatId('Definition', id))
  const [long, crowded] = [longRun, crowdedRun].map((id) => formatId('Run', id))
  const cursorOf = (answer: unknown, ...path: string[]) => {
    let place = answer as { [key: string]: never } | undefined
    for (const key of path) place = place?.[key]
    const { cursor } = (place as unknown as { edges: { cursor: string }[] }).edges.at(-1) ?? {}
    if (cursor === undefined) throw new Error('There is no such page.')
    return cursor
  }
  return [
    { name: "the console's first page", operation: 'Now' },
    { name: 'runs, first page', operation: 'Runs', variables: { first: 50 } },
    { name: 'runs, first page, counted', operation: 'RunsCounted', variables: { first: 50 } },
    {
      name: 'runs, a page in the middle',
      operation: 'Runs',
      begin: async (ask) => ({
        first: 50,
        after: cursorOf(await ask('Runs', { first: 1, filter: { scheduledTo: at(-180) } }), 'runs'),
      }),
    },
    runsBy('status SCHEDULED', { status: ['SCHEDULED'] }),
    runsBy('status COMPLETED', { status: ['COMPLETED'] }),
    runsBy('status FAILED', { status: ['FAILED'] }),
    runsBy('under way', { status: ['STARTING', 'RUNNING', 'PAUSED', 'ENDING'] }),
    runsBy('status PAUSED', { status: ['PAUSED'] }),
    runsBy('status ENDING, of which there are none', { status: ['ENDING'] }),
    runsBy('health DEGRADED', { health: ['DEGRADED'] }),
    runsBy('health STALLED', { health: ['STALLED'] }),
    runsBy('cleanup INCOMPLETE', { cleanupStatus: ['INCOMPLETE'] }),
    runsBy('cleanup PENDING, of which there are none', { cleanupStatus: ['PENDING'] }),
    runsBy('with a cue', { waiting: true }),
    runsBy('of a scope', { scope: 'shard 7' }),
    runsBy('of a scope that there is not', { scope: 'nowhere' }),
    runsBy('rehearsals', { rehearsal: true }),
    runsBy('by hand', { source: 'MANUAL' }),
    runsBy('of a week ahead', { scheduledFrom: at(1), scheduledTo: at(8) }),
    runsBy('of a week long past', { scheduledFrom: at(-300), scheduledTo: at(-293) }),
    runsBy('of the largest definition', { definitionId: big }),
    runsBy('of the largest definition, COMPLETED', { definitionId: big, status: ['COMPLETED'] }),
    runsBy('of the largest definition, FAILED', { definitionId: big, status: ['FAILED'] }),
    runsBy('of the largest definition, PAUSED, of which there is one', { definitionId: big, status: ['PAUSED'] }),
    runsBy('of the largest definition, ENDING, of which there are none', { definitionId: big, status: ['ENDING'] }),
    runsBy('of the largest definition, MISSED, of which there are none', { definitionId: big, status: ['MISSED'] }),
    runsBy('of the largest definition, in a scope that there is not', { definitionId: big, scope: 'nowhere' }),
    runsBy('of a scope, ENDING, of which there are none', { scope: 'shard 7', status: ['ENDING'] }),
    runsBy('of a usual definition', { definitionId: common }),
    runsBy('of a usual definition, FAILED', { definitionId: common, status: ['FAILED'] }),
    { name: 'a definition and its runs', operation: 'RunsOfDefinition', variables: { id: common } },
    { name: 'definitions with their next starts', operation: 'Definitions', variables: { first: 50 } },
    { name: 'definitions, searched', operation: 'Definitions', variables: { first: 50, filter: { search: 'minoc' } } },
    { name: 'a run of 200 steps', operation: 'RunConsole', variables: { id: long } },
    { name: "a run's ledger of 500", operation: 'RunLedger', variables: { id: crowded } },
    { name: "a run's 500 participants", operation: 'RunParticipants', variables: { id: crowded } },
    { name: 'a long log, first page', operation: 'Log', variables: { id: long } },
    {
      name: 'a long log, a page in the middle',
      operation: 'Log',
      begin: async (ask) => ({
        id: long,
        after: cursorOf(
          await ask('Log', { id: long, filter: { search: `${Math.floor(size.longLog / 2)} creatures` } }),
          'run',
          'log',
        ),
      }),
    },
    { name: 'a long log, by kind', operation: 'Log', variables: { id: long, filter: { kind: ['step.status'] } } },
    { name: 'a long log, searched in vain', operation: 'Log', variables: { id: long, filter: { search: 'unicorn' } } },
    {
      name: 'calendar, a month of a usual definition',
      operation: 'Calendar',
      variables: (index) => ({ from: at(-30 - index), to: at(-index), definitionId: common }),
    },
    {
      name: 'calendar, a month of a busy definition',
      operation: 'Calendar',
      variables: { from: at(-30), to: at(0), definitionId: active },
    },
    ...Object.entries({
      'none of these': {},
      'their instants and zones': { times: true },
      'the event of each': { event: true },
      'the run of each': { run: true },
    }).map(([kept, asked]) => ({
      name: `calendar, a month of a busy definition, its entries with ${kept}`,
      operation: 'Entries',
      variables: { from: at(-30), to: at(0), definitionId: active, times: false, event: false, run: false, ...asked },
    })),
    {
      name: 'calendar, a month ahead of a usual definition',
      operation: 'Calendar',
      variables: { from: at(0), to: at(30), definitionId: common },
    },
    {
      name: 'calendar, a week of a scope',
      operation: 'Calendar',
      variables: { from: at(-5), to: at(2), scope: 'shard 7' },
    },
    { name: 'calendar, a day of everything', operation: 'Calendar', variables: { from: at(-1), to: at(0) } },
    { name: 'calendar, an hour of everything', operation: 'Calendar', variables: { from: at(0), to: at(1 / 24) } },
    { name: 'cues', operation: 'OpenCues' },
    { name: 'audit log, first page', operation: 'Audit' },
    {
      name: 'audit log, a later page',
      operation: 'Audit',
      begin: async (ask) => {
        let after: string | undefined
        for (let page = 0; page < 3; page += 1) after = cursorOf(await ask('Audit', { after }), 'auditLog')
        return { after }
      },
    },
    ...(
      [
        ['of a subject', { subject: 'def_42' }],
        ['of a subject that is seldom', { subject: 'def_seldom' }],
        ['of a subject that there is not', { subject: 'def_nothing' }],
        ['of an action that there is not', { action: ['token.revoke'] }],
      ] as const
    ).map(([name, filter]) => ({ name: `audit log, ${name}`, operation: 'Audit', variables: { filter } })),
  ]
}

/** What the console and other clients read, through the API's own code in this process, as ADMIN. */
export async function measureDashboard(
  url: string,
  filled: Filled,
  { calls = CALLS, only }: { calls?: number; only?: string | undefined } = {},
): Promise<Record<string, Figures>> {
  const document = documents()
  const figures: Record<string, Figures> = {}
  for (const { name, operation, variables = {}, begin } of casesOf(filled)) {
    if (only !== undefined && !name.includes(only)) continue
    figures[name] = await watched(url, calls, async (db) => {
      const ask = asking(db, document)
      const asked = begin === undefined ? variables : await begin(ask)
      return (index) => ask(operation, typeof asked === 'function' ? asked(index) : asked)
    })
  }
  return figures
}
