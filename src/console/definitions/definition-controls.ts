import type { Client } from '@urql/core'
import {
  ArchiveDefinitionDocument,
  type DefinitionPageFragment,
  PauseScheduleDocument,
  RehearseDefinitionDocument,
  ResumeScheduleDocument,
  type ScheduleHolderFragment,
} from '../../generated/console/documents.ts'
import { act } from '../api/act.ts'
import { newRequestId } from '../api/request-id.ts'
import { type Control, reasonOf } from '../ui/control.ts'

/** Stops the schedule. */
function pauseControl(client: Client, definition: ScheduleHolderFragment): Control {
  return {
    title: `Pause the schedule of "${definition.title}"?`,
    effect: `Until somebody resumes it, the schedule makes no runs, and ${scheduled(definition)} missed when the time comes. Runs that somebody starts, and runs that go on, are not touched.`,
    action: 'Pause it',
    reasonKeptIn: 'audit log',
    perform: ({ reason }) => act(client, PauseScheduleDocument, { input: { id: definition.id, ...reasonOf(reason) } }),
  }
}

/** Lets the schedule of an event go on. */
export function resumeControl(client: Client, { id, title }: { id: string; title: string }): Control {
  return {
    title: `Resume the schedule of "${title}"?`,
    effect: 'It makes and starts runs again from now on. Nothing of the pause is made up for.',
    action: 'Resume it',
    color: 'go',
    reasonKeptIn: 'audit log',
    perform: ({ reason }) => act(client, ResumeScheduleDocument, { input: { id, ...reasonOf(reason) } }),
  }
}

/** Whether there is a schedule to stop, or one that was stopped: what is for hands alone has none. */
export const hasScheduleControl = ({ state, schedulePaused, currentVersion }: ScheduleHolderFragment): boolean =>
  state === 'READY' &&
  (schedulePaused || (currentVersion !== null && currentVersion.spec.schedule.__typename !== 'ManualSchedule'))

/** Stops the schedule, or lets it go on, where it `hasScheduleControl`. */
export const scheduleControl = (client: Client, definition: ScheduleHolderFragment): Control =>
  definition.schedulePaused ? resumeControl(client, definition) : pauseControl(client, definition)

/** Puts an event away. */
export function archiveControl(client: Client, definition: DefinitionPageFragment): Control {
  return {
    title: `Archive "${definition.title}"?`,
    effect: `It is put away for good: nobody can change, publish or start it any more, and ${scheduled(definition)} cancelled. It is refused while other runs of it go on.`,
    action: 'Archive it',
    color: 'stop',
    reasonKeptIn: 'audit log',
    perform: ({ reason }) =>
      act(client, ArchiveDefinitionDocument, { input: { id: definition.id, ...reasonOf(reason) } }),
  }
}

/** Starts a run that changes nothing in the world; `onStart` is told its id. */
export function rehearseControl(
  client: Client,
  { definition, onStart }: { definition: DefinitionPageFragment; onStart(runId: string): void },
): Control {
  const requestId = newRequestId()
  return {
    title: `Rehearse version ${definition.currentVersion?.version ?? 0} now?`,
    effect:
      'A run begins at once with real times, gates and cues, and changes nothing in the world: actions are asked whether they would work, or are not called. Parameters have their defaults.',
    action: 'Rehearse it',
    reasonKeptIn: null,
    async perform() {
      const outcome = await act(client, RehearseDefinitionDocument, {
        input: { definitionId: definition.id, rehearsal: true, requestId },
      })
      if (outcome.kind === 'done') onStart(outcome.payload.run.id)
      return outcome
    },
  }
}

function scheduled({ scheduled: { totalCount } }: ScheduleHolderFragment): string {
  if (totalCount === 0) return 'runs that it made (none now) are'
  return totalCount === 1 ? 'the run that it has made is' : `the ${totalCount ?? 'many'} runs that it has made are`
}
