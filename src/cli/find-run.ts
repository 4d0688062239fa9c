import { z } from 'zod'
import { uuidOf } from '../domain/ids.ts'
import { askApi } from './api.ts'
import { type CommandFailure, notFound, wrongUsage } from './failure.ts'
import { eventNamed, noEvent } from './find-event.ts'
import { refuseOtherIds } from './id-kind.ts'
import type { Session } from './session.ts'

/** What the help says of every RUN. */
export const RUN_ARGUMENT =
  "id of a run, a unique beginning of one (run_01a2…), or an event's slug or id for its run under way"

/** The statuses of a run that is under way: started and not ended. */
export const UNDER_WAY = ['STARTING', 'RUNNING', 'PAUSED', 'ENDING']

const PAGE = 500
/** Of the runs that are not under way, so many of the newest are looked through for a beginning of an id. */
const SEARCHED_PAGES = 10

const Ids = z.object({
  edges: z.array(z.object({ node: z.object({ id: z.string() }) })),
  pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() }),
})
const CONNECTION = '{ edges { node { id } } pageInfo { hasNextPage endCursor } }'

/** There is no run with this id. */
export function noRun(id: string): CommandFailure {
  return notFound(`There is no run ${id}; "cuelight runs --all" shows them.`)
}

/** The id of the run that a person means. Throws a CommandFailure where there is none, or more than one. */
export async function findRun(session: Session, given: string): Promise<string> {
  if (uuidOf(given, 'Run') !== null) return given
  refuseOtherIds(given, { takes: ['Run', 'Definition'], give: 'a run: "cuelight runs" lists those under way' })
  return only(given, given.startsWith('run_') ? await beginningWith(session, given) : await underWayOf(session, given))
}

function only(given: string, found: string[]): string {
  const [id, ...others] = found
  if (id === undefined) {
    throw notFound(
      given.startsWith('run_')
        ? `There is no run whose id begins with ${given}; "cuelight runs --all" shows them.`
        : `The event ${given} has no run under way; "cuelight runs --all --event ${given}" shows the others.`,
    )
  }
  if (others.length === 0) return id
  const shown = found.slice(0, 5).map((it) => `\n  ${it}`)
  if (found.length > shown.length) shown.push('\n  …')
  throw wrongUsage(`${given} may mean one of ${found.length} runs; give the id of the one you mean:${shown.join('')}`)
}

async function underWayOf({ config }: Session, event: string): Promise<string[]> {
  const { definition } = await askApi(config, {
    document: `query ($id: ID, $slug: String, $status: [RunStatus!]) {
      definition(id: $id, slug: $slug) { runs(filter: { status: $status }) ${CONNECTION} }
    }`,
    variables: { ...eventNamed(event), status: UNDER_WAY },
    shape: z.object({ definition: z.object({ runs: Ids }).nullable() }),
  })
  if (definition === null) throw noEvent(event)
  return definition.runs.edges.map(({ node }) => node.id)
}

async function beginningWith(session: Session, start: string): Promise<string[]> {
  const found = new Set<string>()
  for (const status of [UNDER_WAY, null]) {
    let after: string | null = null
    for (let page = 0; page < SEARCHED_PAGES; page += 1) {
      const { edges, pageInfo } = await pageOf(session, { status, after })
      for (const { node } of edges) if (node.id.startsWith(start)) found.add(node.id)
      if (!pageInfo.hasNextPage) break
      after = pageInfo.endCursor
    }
  }
  return [...found]
}

async function pageOf(
  { config }: Session,
  { status, after }: { status: string[] | null; after: string | null },
): Promise<z.infer<typeof Ids>> {
  const { runs } = await askApi(config, {
    document: `query ($status: [RunStatus!], $after: String) {
      runs(first: ${PAGE}, after: $after, filter: { status: $status }) ${CONNECTION}
    }`,
    variables: { status, after },
    shape: z.object({ runs: Ids }),
  })
  return runs
}
