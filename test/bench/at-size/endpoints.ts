import { Registry } from '../../../src/modules/registry.ts'
import { systemClock } from '../../../src/runner/clock.ts'
import { calendarFeed } from '../../../src/server/calendar-feed.ts'
import { Metrics } from '../../../src/server/metrics.ts'
import { Changes } from '../../../src/store/changes.ts'
import type { Database } from '../../../src/store/database.ts'
import { countScheduled, readGauges } from '../../../src/store/gauges.ts'
import { controlContext } from '../../support/context.ts'
import { CALLS } from './dashboard.ts'
import type { Filled } from './fill.ts'
import { type Figures, watched } from './watch.ts'

/** A page of metrics made anew, whatever was asked before. */
function metricsPage(db: Database) {
  const now = systemClock.now()
  return new Metrics().page({
    depths: () => ({ working: 0, dispatches: 0, reverts: 0, transitions: 0 }),
    sockets: () => ({ subscribers: 0, unsentBytes: 0 }),
    gauges: () => readGauges(db.hot, now),
    scheduled: () => countScheduled(db.hot),
    now: () => now,
  })
}

function feedOf(db: Database, definitionId: string | null): Promise<string> {
  const control = controlContext({ db, changes: new Changes(), clock: systemClock, catalog: new Registry() })
  return calendarFeed(control, { publicUrl: 'https://events.example.com', definitionId })
}

/** What is served besides the API, as it is when nothing of it was kept from before. */
export async function measureEndpoints(
  url: string,
  { usual, busy }: Filled,
  calls = CALLS,
): Promise<Record<string, Figures>> {
  const asked: Record<string, (db: Database) => Promise<unknown>> = {
    'metrics, a page': metricsPage,
    'metrics, the runs that wait for their start': ({ hot }) => countScheduled(hot),
    'calendar feed of a usual definition': (db) => feedOf(db, usual),
    'calendar feed of a busy definition, cut at 2,000 events': (db) => feedOf(db, busy),
    'calendar feed of everything, cut at 2,000 events': (db) => feedOf(db, null),
  }
  const figures: Record<string, Figures> = {}
  for (const [name, ask] of Object.entries(asked)) figures[name] = await watched(url, calls, (db) => () => ask(db))
  return figures
}
