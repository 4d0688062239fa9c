import { expect } from 'vitest'
import { type Stage, type StagePhase, T0 } from '../support/stage.ts'

/** The instant of the runs that `waiting` makes. */
export const DUE = T0 + 1000

export const PHASES: StagePhase[] = [
  { key: 'one', steps: [{ key: 'a' }, { key: 'b' }], advance: { after: '1m' } },
  { key: 'two', steps: [{ key: 'c' }] },
]

type Statement = { sql: string; values: unknown[] }

const isOfStarts = ({ sql }: Statement) => sql.includes('own AS MATERIALIZED') && sql.includes('SKIP LOCKED')

/** The statement of a start that is not to happen yet: nobody claims its run. */
export const isRehearsal = (statement: Statement) =>
  isOfStarts(statement) && statement.values.some((value) => String(value).includes('nobody'))

export const isStart = (statement: Statement) => isOfStarts(statement) && !isRehearsal(statement)

/** The ids of the runs that a start is asked for, which are its first parameter: an array. */
export const askedOf = ({ values }: Statement): string[] => String(values[0]).match(/[\da-f-]{36}/g) ?? []

/** How many runs the runner tried to start from what it had read before, and how many it did. */
export function watch(stage: Stage): { asked: number; won: number; statements: string[] } {
  const seen = { asked: 0, won: 0, statements: [] as string[] }
  stage.interpose((sql) => {
    const answer = stage.send(sql)
    if (isRehearsal(sql)) return answer
    seen.statements.push(isStart(sql) ? 'start' : sql.sql)
    if (!isStart(sql)) return answer
    seen.asked += askedOf(sql).length
    return answer.then((rows) => {
      seen.won += (rows as unknown[]).length
      return rows
    })
  })
  return seen
}

/** A run that waits for its start, and that the runner knows of. */
export async function waiting(stage: Stage, phases = PHASES) {
  const { definitionId } = await stage.publish(phases)
  const runId = await stage.start(definitionId, { scheduledFor: new Date(DUE) })
  await stage.settle()
  return { definitionId, runId }
}

/** Lets its instant come: a run that `waiting` made starts at it, and calls what its first phase has. */
export async function expectOnTime(stage: Stage, runId: string): Promise<void> {
  await stage.letPass(DUE - T0)
  expect(await stage.run(runId)).toMatchObject({ status: 'RUNNING', startedAt: new Date(DUE) })
  expect(stage.script.keys()).toEqual(['a', 'b'])
}
