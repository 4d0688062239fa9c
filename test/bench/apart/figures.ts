import type { Lateness } from '../materialise.ts'
import type { Middle } from '../middle.ts'
import type { Hourly } from './hourly.ts'
import type { Parts } from './parts.ts'
import type { Rush } from './rush.ts'
import type { Work } from './work.ts'

/** What stands in the way of goals, found by looking closer or by leaving something out; milliseconds. */
export type Apart = {
  work: Work
  /** How late starts are while upcoming runs are made, and taken along: as they are, and where none waits for the disk. */
  starts: Record<'asTheyAre' | 'withoutDisk', { making: Late; repinning: Late }>
  /** What readers of a busy log wait for a line, 99 of 100 at most. */
  readers: Record<string, Middle<{ p99Ms: number }>>
  rush: Middle<Rush>
  hourly: Middle<Hourly>[]
  parts: Parts
}

/** The median of the rounds' 99th percentiles; `busy`: the share of the machine's processors that was meanwhile, the median. */
export type Late = { p99Ms: number; rounds: number[]; busy: number; slowest: Lateness['slowest'] }
