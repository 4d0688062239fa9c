import DataLoader from 'dataloader'
import { BREAK, type GraphQLResolveInfo, type OperationDefinitionNode, visit } from 'graphql'
import { type Situation, type Standing, situationsOf } from '../store/situation-reads.ts'
import type { GraphqlContext } from './context.ts'

/** What of a run's standing has to be read besides its own row: the situation itself, with one count or without. */
type Part = 'situation' | 'steps' | 'resources'

type Ask = { runId: string; part: Part | null }
type Standings = DataLoader<Ask, Situation | null>

const loaders = new WeakMap<GraphqlContext, Standings>()

/**
 * How runs stand. What is asked of one run at one place of an answer is answered from one statement, so that its status,
 * what it waits for and how much is counted never contradict each other: a run moves on while it is read. Null where
 * nothing was asked for but what a row that was read before has (`part` null): that costs no statement.
 */
function standings(context: GraphqlContext): Standings {
  let loader = loaders.get(context)
  if (loader === undefined) {
    loader = new DataLoader<Ask, Situation | null>((asks) => answers(asks, context), { cache: false })
    loaders.set(context, loader)
  }
  return loader
}

async function answers(asks: readonly Ask[], { control: { db, clock } }: GraphqlContext) {
  const parts = new Set(asks.map(({ part }) => part))
  const ids = new Set(asks.flatMap(({ runId, part }) => (part === null ? [] : [runId])))
  if (ids.size === 0) return asks.map(() => null)
  const counted = { steps: parts.has('steps'), resources: parts.has('resources') }
  const found = await situationsOf(db, [...ids], { now: clock.now(), counted })
  return asks.map(({ runId }) => found.get(runId) ?? null)
}

/** A part of a run's standing. A run that the API shows has one. */
export async function standingOf(runId: string, part: Part, context: GraphqlContext): Promise<Situation> {
  const standing = await standings(context).load({ runId, part })
  if (standing === null) throw new Error(`run ${runId} is gone`)
  return standing
}

/** The fields of Run that are made from its standing. */
const MADE_FROM_IT = new Set(['waitingOn', 'allowedControls', 'stepCounts', 'waitingCues', 'unresolvedResources'])

/**
 * A field that is in the run's own row: where another field of the answer is made from the run's standing, as the row was
 * then.
 */
export function asShown<Column extends keyof Standing, Shown>(
  row: Pick<Standing, Column> & { id: string },
  show: (standing: Pick<Standing, Column>) => Shown,
  { context, info }: { context: GraphqlContext; info: GraphQLResolveInfo },
): Shown | Promise<Shown> {
  if (!asksForStanding(info)) return show(row)
  return standings(context)
    .load({ runId: row.id, part: null })
    .then(
      (standing) => show(standing ?? row),
      // The fields that are made from it say that it could not be read.
      () => show(row),
    )
}

const asking = new WeakMap<OperationDefinitionNode, boolean>()

/** Whether an operation asks anywhere for what is made from a run's standing: most lists do not, and wait for nothing. */
function asksForStanding({ operation, fragments }: GraphQLResolveInfo): boolean {
  const known = asking.get(operation)
  if (known !== undefined) return known
  let asks = false
  for (const node of [operation, ...Object.values(fragments)])
    visit(node, {
      Field({ name }) {
        if (!MADE_FROM_IT.has(name.value)) return undefined
        asks = true
        return BREAK
      },
    })
  asking.set(operation, asks)
  return asks
}
