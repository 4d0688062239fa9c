import { formatDuration } from '../../domain/duration.ts'
import type { RunnerQuery } from '../../generated/console/documents.ts'

type Status = RunnerQuery['runner']
export type Instance = Status['instances'][number]

/** A process says every 5 seconds that it lives. One that was not heard of for so long is taken to be gone. */
const SILENT_MS = 15_000
/** Up to here what is due is only being taken up. */
const BEHIND_SECONDS = 3

/** Whether a process has not been heard of for too long, at the server's time. */
export const isSilent = ({ lastSeenAt }: Instance, now: number): boolean => now - Date.parse(lastSeenAt) > SILENT_MS

export type Problem = { tone: 'bad' | 'wait'; title: string; text: string }

/** What is wrong with the runner, the worst first; nothing: it keeps up. */
export function problemsOf({ instances, dueRuns, oldestDueSeconds }: Status, now: number): Problem[] {
  const silent = instances.filter((instance) => isSilent(instance, now))
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
