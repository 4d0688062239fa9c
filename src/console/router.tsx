import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router'
import { ActionsPage } from './actions/actions-page.tsx'
import { AuditPage } from './audit/audit-page.tsx'
import { auditSearch } from './audit/audit-search.ts'
import { CalendarPage } from './calendar/calendar-page.tsx'
import { calendarSearch } from './calendar/calendar-search.ts'
import { CuesPage } from './cues/cues-page.tsx'
import { DefinitionPage } from './definitions/definition-page.tsx'
import { DefinitionsPage } from './definitions/definitions-page.tsx'
import { DraftPage } from './draft/draft-page.tsx'
import { NowPage } from './now/now-page.tsx'
import { RunnerPage } from './processes/runner-page.tsx'
import { RunPage } from './run/run-page.tsx'
import { RunsPage } from './runs/runs-page.tsx'
import { runsSearch } from './runs/runs-search.ts'
import { NothingHere } from './shell/nothing-here.tsx'
import { PageFault } from './shell/page-fault.tsx'
import { Shell } from './shell/shell.tsx'
import { ChooseEventPage } from './start/choose-event-page.tsx'
import { StartPage } from './start/start-page.tsx'
import { TokensPage } from './tokens/tokens-page.tsx'

// What an address asks for is read by its page again: the router hands on what `validateSearch` leaves out, too.
const definitionSearch = ({ publish }: Record<string, unknown>): { publish?: boolean } =>
  publish === true ? { publish } : {}
const startSearch = ({ at }: Record<string, unknown>): { at?: string } => (isInstant(at) ? { at } : {})
const isInstant = (value: unknown): value is string => typeof value === 'string' && !Number.isNaN(Date.parse(value))

const root = createRootRoute({ component: Shell, notFoundComponent: NothingHere })

const now = createRoute({ getParentRoute: () => root, path: '/', component: NowPage })
const cues = createRoute({ getParentRoute: () => root, path: '/cues', component: CuesPage })
const run = createRoute({
  getParentRoute: () => root,
  path: '/runs/$runId',
  component: function RunOfAddress() {
    const { runId } = run.useParams()
    // Nothing of one run is left standing when another is opened.
    return <RunPage key={runId} runId={runId} />
  },
})
const definitions = createRoute({ getParentRoute: () => root, path: '/definitions', component: DefinitionsPage })
const definition = createRoute({
  getParentRoute: () => root,
  path: '/definitions/$slug',
  validateSearch: definitionSearch,
  component: function DefinitionOfAddress() {
    const { slug } = definition.useParams()
    const { publish = false } = definitionSearch(definition.useSearch())
    return <DefinitionPage key={slug} slug={slug} isPublishing={publish} />
  },
})
const draft = createRoute({
  getParentRoute: () => root,
  path: '/definitions/$slug/edit',
  component: function DraftOfAddress() {
    const { slug } = draft.useParams()
    return <DraftPage key={slug} slug={slug} />
  },
})

const actions = createRoute({ getParentRoute: () => root, path: '/actions', component: ActionsPage })
const tokens = createRoute({ getParentRoute: () => root, path: '/tokens', component: TokensPage })
const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: auditSearch,
  component: function AuditOfAddress() {
    const navigate = audit.useNavigate()
    return <AuditPage search={auditSearch(audit.useSearch())} onSearch={(search) => void navigate({ search })} />
  },
})
const runner = createRoute({ getParentRoute: () => root, path: '/runner', component: RunnerPage })
const runs = createRoute({
  getParentRoute: () => root,
  path: '/runs',
  validateSearch: runsSearch,
  component: function RunsOfAddress() {
    const navigate = runs.useNavigate()
    return <RunsPage search={runsSearch(runs.useSearch())} onSearch={(search) => void navigate({ search })} />
  },
})

const calendar = createRoute({
  getParentRoute: () => root,
  path: '/calendar',
  validateSearch: calendarSearch,
  component: function CalendarOfAddress() {
    const { view, on, event } = calendarSearch(calendar.useSearch())
    return <CalendarPage view={view ?? 'week'} day={on ?? null} event={event ?? null} />
  },
})
const chooseEvent = createRoute({ getParentRoute: () => root, path: '/start', component: ChooseEventPage })
const start = createRoute({
  getParentRoute: () => root,
  path: '/start/$slug',
  validateSearch: startSearch,
  component: function StartOfAddress() {
    const { slug } = start.useParams()
    const { at } = startSearch(start.useSearch())
    return <StartPage key={slug} slug={slug} at={at ?? null} />
  },
})

/** Every page of the console. A new one is a route here, and an entry in shell/pages.ts if it has a place in the menu. */
export const router = createRouter({
  routeTree: root.addChildren([
    now,
    cues,
    calendar,
    runs,
    run,
    chooseEvent,
    start,
    definitions,
    definition,
    draft,
    actions,
    runner,
    tokens,
    audit,
  ]),
  scrollRestoration: true,
  defaultErrorComponent: PageFault,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
