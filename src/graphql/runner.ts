import { SILENT_AFTER_MS } from '../runner/heartbeat.ts'
import { readBacklog, readNextInstant } from '../store/claims.ts'
import { type InstanceRow, readInstances } from '../store/instances.ts'
import { needs } from './access.ts'
import { builder } from './builder.ts'

const DAY_MS = 86_400_000

const RunnerInstance = builder.objectRef<InstanceRow>('RunnerInstance').implement({
  description: 'A process that runs the runner.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Its name in claims and in the log: host, process and a random part.' }),
    host: t.exposeString('host', { description: 'Name of its machine.' }),
    pid: t.exposeInt('pid', { description: 'Its number on that machine.' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'When it began to work.' }),
    lastSeenAt: t.expose('lastSeenAt', {
      type: 'DateTime',
      description:
        'When it last said that it lives, which it does every 5 seconds. One that stops in order is off the list at once, one that died after an hour.',
    }),
    working: t.exposeInt('working', {
      description:
        'What it then had in hand, actions being called included. Of one that was not seen for 15 seconds: what its claims still hold, and so 0 once they have lapsed.',
    }),
  }),
})

type Status = { instances: InstanceRow[]; dueRuns: number; oldestDueSeconds: number; nextWakeAt: Date | null }

const RunnerStatus = builder.objectRef<Status>('RunnerStatus').implement({
  description: 'Every process that runs the runner, and how far it is behind.',
  fields: (t) => ({
    instances: t.field({
      type: [RunnerInstance],
      description: 'The processes, the oldest first; at most 1,000.',
      resolve: ({ instances }) => instances,
    }),
    dueRuns: t.exposeInt('dueRuns', {
      description:
        'Runs that could be moved on now and that no process has taken up yet. What waits for a concurrency key does not count.',
    }),
    oldestDueSeconds: t.exposeFloat('oldestDueSeconds', {
      description: 'For how long the first of them has been due; 0 where none is.',
    }),
    nextWakeAt: t.expose('nextWakeAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The next instant at which there is something to do; null: none is known.',
    }),
  }),
})

builder.queryField('runner', (t) =>
  t.field({
    type: RunnerStatus,
    authScopes: needs('VIEWER'),
    description: 'Every process that runs the runner, and how far it is behind.',
    resolve: async (_root, _args, { control: { db, clock, horizonDays } }): Promise<Status> => {
      const now = clock.now()
      const [instances, backlog, { next }] = await Promise.all([
        readInstances(db, { now, silentBefore: now - SILENT_AFTER_MS }),
        readBacklog(db.prisma, now),
        readNextInstant(db.prisma, { now, horizonMs: horizonDays * DAY_MS, cleaning: [] }),
      ])
      const { dueRuns, oldestDueAt } = backlog
      return {
        instances,
        dueRuns,
        oldestDueSeconds: oldestDueAt === null ? 0 : (now - oldestDueAt) / 1_000,
        nextWakeAt: next === null ? null : new Date(next),
      }
    },
  }),
)
