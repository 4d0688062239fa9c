import { readdirSync, readFileSync } from 'node:fs'

/**
 * What an amount of work took: how long, and for how many microseconds processors were busy for each unit of it.
 * `busy`: the share of the machine's processors that were, with whatever.
 */
export type Effort = { perSecond: number; nodeMicros: number; postgresMicros: number; busy: number }

/** Linux counts the time of processes in hundredths of a second. */
export const TICK_MICROS = 10_000

/** The process that runs PostgreSQL: the bench, this process or the one that forked it. */
const BENCH = process.send === undefined ? process.pid : process.ppid

/** Begins to watch; what it answers ends that. Of PostgreSQL where it runs under the bench, and /proc is there. */
export function watchEffort(): (units: number) => Effort {
  const [node, postgres, begun, machine] = [process.cpuUsage(), postgresTicks(), performance.now(), processorTime()]
  return (units) => {
    const seconds = (performance.now() - begun) / 1000
    const { user, system } = process.cpuUsage(node)
    const micros = (postgresTicks() - postgres) * TICK_MICROS
    const { all, idle } = processorTime()
    const busy = 1 - (idle - machine.idle) / (all - machine.all)
    return { perSecond: units / seconds, nodeMicros: (user + system) / units, postgresMicros: micros / units, busy }
  }
}

/** Begins to watch what share of the processors' time other guests of the machine take; what it answers says it. */
export function watchStolen(): () => number {
  const before = processorTime()
  return () => {
    const { all, stolen } = processorTime()
    const taken = stolen - before.stolen
    return taken / (all - before.all + taken)
  }
}

/**
 * Ticks that the machine's processors had since it began; of those, how many they had nothing to do, or waited for a disk;
 * and besides, how many other guests took.
 */
function processorTime(): { all: number; idle: number; stolen: number } {
  const ticks = readIfThere('/proc/stat').split('\n')[0]?.split(/ +/).slice(1, 9).map(Number) ?? []
  const [, , , idle = Number.NaN, waiting = Number.NaN, , , stolen = Number.NaN] = ticks
  return { all: ticks.slice(0, 7).reduce((sum, each) => sum + each, 0), idle: idle + waiting, stolen }
}

/** Ticks that a process was busy; with those of its children that have ended, where they are asked for. */
export function ticksOf(pid: number, ended = false): number {
  const [utime, stime, cutime, cstime] = statOf(pid).slice(11, 15).map(Number)
  return (utime ?? 0) + (stime ?? 0) + (ended ? (cutime ?? 0) + (cstime ?? 0) : 0)
}

function postgresTicks(): number {
  const parents = new Map<number, number>()
  for (const name of readdirIfThere('/proc')) {
    const pid = Number(name)
    if (Number.isInteger(pid)) parents.set(pid, Number(statOf(pid)[1]))
  }
  const childrenOf = (parent: number) => [...parents].filter(([, ppid]) => ppid === parent).map(([pid]) => pid)
  const postmasters = childrenOf(BENCH).filter((pid) => childrenOf(pid).length > 0)
  // Not of the bench, or not to be seen: nothing is known of it.
  if (postmasters.length === 0) return Number.NaN
  return postmasters.reduce(
    (sum, pid) => childrenOf(pid).reduce((ticks, child) => ticks + ticksOf(child), sum + ticksOf(pid, true)),
    0,
  )
}

/** The fields behind the name of the command, which is in brackets and may hold anything; none for a process that is gone. */
function statOf(pid: number): string[] {
  const stat = readIfThere(`/proc/${pid}/stat`)
  return stat === '' ? [] : stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function readdirIfThere(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}
