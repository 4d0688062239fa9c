import { cueBoard } from '../../src/graphql/subscriptions/cues.ts'
import { runBoard } from '../../src/graphql/subscriptions/runs.ts'

// What one reader gets that pulls for itself.

export const followCues = (...board: Parameters<typeof cueBoard>) => cueBoard(...board)[Symbol.asyncIterator]()
export const followRuns = (...board: Parameters<typeof runBoard>) => runBoard(...board)[Symbol.asyncIterator]()
