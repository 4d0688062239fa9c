import { setTimeout as delay } from 'node:timers/promises'
import { publishDefinition, updateDefinition } from '../../../src/controls/definitions.ts'
import { DEFAULT_RUNNER_SETTINGS } from '../../../src/runner/settings.ts'
import { onBench } from '../cuelight.ts'
import { insertRecurring } from '../materialise.ts'
import { type Middle, middleOf } from '../middle.ts'

const BENCH = { kind: 'USER', name: 'bench' } as const
const ROUNDS = 3
const SETTINGS = { ...DEFAULT_RUNNER_SETTINGS, horizonDays: 366 }

/** How many upcoming runs an hourly event of so many steps has in a year, and in how many seconds a new version takes them along. */
export type Hourly = { steps: number; runs: number; seconds: number }

export function measureHourly(url: string, steps: number): Promise<Middle<Hourly>> {
  return onBench(
    url,
    () => {},
    async (bench) => {
      const { control, runner } = bench
      const [id = ''] = await insertRecurring(bench, { count: 1, rule: 'FREQ=HOURLY', steps })
      runner.start()
      while ((await control.db.prisma.definition.count({ where: { materialisedUntil: new Date(0) } })) > 0)
        await delay(50)
      let graceSeconds = 600
      return middleOf(
        ROUNDS,
        async () => {
          graceSeconds += 1
          await updateDefinition(control, BENCH, { id, graceSeconds })
          const begun = performance.now()
          const published = await publishDefinition(control, BENCH, { id })
          const seconds = Number(((performance.now() - begun) / 1000).toFixed(1))
          if (published.error !== undefined) throw new Error(published.message)
          return { steps, runs: published.upcoming.kept, seconds }
        },
        ({ seconds }) => seconds,
      )
    },
    { settings: SETTINGS },
  )
}
