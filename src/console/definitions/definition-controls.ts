import type { Client } from '@urql/core'
import {
  ArchiveDefinitionDocument,
  type DefinitionPageFragment,
  PauseScheduleDocument,
  RehearseDefinitionDocument,
  ResumeScheduleDocument,
} from '../../generated/console/documents.ts'
import { act } from '../api/act.ts'
import { newRequestId } from '../api/request-id.ts'
import type { Control } from '../ui/control.ts'

/** Stops the schedule, or lets it go on. */
export function scheduleControl(client: Client, definition: DefinitionPageFragment): Control {
  const input = { id: definition.id }
  if (definition.schedulePaused) {
    return {
      title: 'Resume the schedule?',
      effect: 'It makes and starts runs again from now on. Nothing of the pause is made up for.',
      action: 'Resume it',
      color: 'go',
      isReasonKept: false,
      perform: () => act(client, ResumeScheduleDocument, { input }),
    }
  }
  return {
    title: 'Pause the schedule?',
    effect: `Until somebody resumes it, the schedule makes no runs, and ${scheduled(definition)} missed when the time comes. Runs that somebody starts, and runs that go on, are not touched.`,
    action: 'Pause it',
    isReasonKept: false,
    perform: () => act(client, PauseScheduleDocument, { input }),
  }
}

/** Puts an event away. */
export function archiveControl(client: Client, definition: DefinitionPageFragment): Control {
  return {
    title: `Archive "${definition.title}"?`,
    effect: `It is put away for good: nobody can change, publish or start it any more, and ${scheduled(definition)} cancelled. It is refused while other runs of it go on.`,
    action: 'Archive it',
    color: 'stop',
    isReasonKept: false,
    perform: () => act(client, ArchiveDefinitionDocument, { input: { id: definition.id } }),
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
    isReasonKept: false,
    async perform() {
      const outcome = await act(client, RehearseDefinitionDocument, {
        input: { definitionId: definition.id, rehearsal: true, requestId },
      })
      if (outcome.kind === 'done') onStart(outcome.payload.run.id)
      return outcome
    },
  }
}

function scheduled({ scheduled: { totalCount } }: DefinitionPageFragment): string {
  if (totalCount === 0) return 'runs that it made (none now) are'
  return totalCount === 1 ? 'the run that it has made is' : `the ${totalCount ?? 'many'} runs that it has made are`
}
