import { Progress } from '@mantine/core'
import type { RunConsoleFragment } from '../../generated/console/documents.ts'
import classes from './run.module.css'

const count = new Intl.NumberFormat('en')
/** From this share of a cap on a meter asks to be looked at. */
const NEARLY = 0.8

/** What the run has caused of each countable effect, and how much it may. */
export function BudgetMeters({ budget }: { budget: RunConsoleFragment['budget'] }) {
  if (budget.length === 0) return null
  return (
    <section aria-label="Budget" className={classes.meters}>
      {budget.map(({ dimension, consumed, cap, from }) => {
        const share = cap === null ? 0 : cap === 0 ? 1 : consumed / cap
        return (
          <div key={dimension} className={classes.meter}>
            <div className={classes.meterHead}>
              <span>
                <strong>{dimension}</strong>
                {from !== null && cap !== null && <span className={classes.dim}> capped by {from}</span>}
              </span>
              <span>
                {count.format(consumed)} {cap === null ? 'so far, not capped' : `of ${count.format(cap)}`}
              </span>
            </div>
            {cap !== null && (
              <Progress
                value={share * 100}
                color={share >= 1 ? 'red' : share >= NEARLY ? 'yellow' : 'blue'}
                aria-label={`${dimension}: ${consumed} of ${cap}`}
                size="lg"
              />
            )}
          </div>
        )
      })}
    </section>
  )
}
