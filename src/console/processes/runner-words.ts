import { formatDuration } from '../../domain/duration.ts'
import type { RunnerQuery } from '../../generated/console/documents.ts'

type Status = RunnerQuery['runner']
export type Instance = Status['instances'][number]

/** A process says every 5 seconds that it lives. One that was not heard of for so long is taken to be gone. */
const SILENT_MS = 15_000
/** It is read every 2 seconds. What is older than that says nothing of now. */
const OLD_MS = 10_000
/** Up to here what is due is only being taken up. */
const BEHIND_SECONDS = 3

/** Whether what was read is too old to judge by; both by the server's time, in milliseconds. */
export const isOld = (readAt: number, now: number): boolean => now - readAt > OLD_MS

/** Whether a process had not been heard of for too long when that was read, at the server's time. */
export const isSilent = ({ lastSeenAt }: Instance, readAt: number): boolean =>
  readAt - Date.parse(lastSeenAt) > SILENT_MS

export type Problem = { tone: 'bad' | 'wait'; title: string; text: string }

/** What was wrong with the runner when that was read, the worst first; nothing: it kept up. */
export function problemsOf({ instances, dueRuns, oldestDueSeconds }: Status, readAt: number): Problem[] {
  const silent = instances.filter((instance) => isSilent(instance, readAt))
  const problems: Problem[] = []
  if (silent.length === instances.length) {
    problems.push({
      tone: 'bad',
      title: 'No process runs the runner',
      text: 'Nothing starts and nothing goes on until one is there. Look into the log of the server for why its runner stopped, and start it again.',
    })
  }
  if (dueRuns > 0 && oldestDueSeconds > BEHIND_SECONDS) {
    problems.push({
      tone: 'bad',
      title: `${dueRuns === 1 ? '1 run waits' : `${dueRuns} runs wait`} for the runner`,
      text: `The first of them for ${formatDuration(Math.round(oldestDueSeconds) * 1_000)}. It does not keep up: look at the load of its machines and of the database, or start another server on the same database.`,
    })
  }
  if (silent.length > 0 && silent.length < instances.length) {
    const held = silent.reduce((sum, { working }) => sum + working, 0)
    problems.push({
      tone: 'wait',
      title: silent.length === 1 ? '1 process is silent' : `${silent.length} processes are silent`,
      text: `It died, or its machine is cut off. ${held === 0 ? 'It holds nothing any more: the others have it, or take it up when it is due.' : `It still holds ${held}; others take that up when its claims lapse.`} It leaves the list after an hour.`,
    })
  }
  return problems
}
