import type { Middle } from '../middle.ts'
import type { Hourly } from './hourly.ts'
import type { Parts } from './parts.ts'
import type { Rush } from './rush.ts'
import type { Work } from './work.ts'

/** What stands in the way of goals, found by looking closer or by leaving something out; milliseconds. */
export type Apart = {
  work: Work
  /** How late 99 of 100 starts are at most while upcoming runs are made and taken along, the worse; without, nothing waits for the disk. */
  starts: { asTheyAre: Middle<Late>; withoutDisk: Middle<Late> }
  /** What readers of a busy log wait for a line, 99 of 100 at most. */
  readers: Record<string, Middle<{ p99Ms: number }>>
  rush: Middle<Rush>
  hourly: Middle<Hourly>[]
  parts: Parts
}

/** `busy`: the share of the machine's processors that was. */
export type Late = { making: number; repinning: number; busy: { making: number; repinning: number } }
