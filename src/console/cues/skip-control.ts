import type { Client } from '@urql/core'
import { SkipStepDocument } from '../../generated/console/documents.ts'
import { act } from '../api/act.ts'
import type { Control } from '../ui/control.ts'

/** Goes on without a step, or without what a cue asks for. */
export function skipControl(client: Client, { id, title }: { id: string; title: string }): Control {
  return {
    title: `Skip "${title}"?`,
    effect: 'The run goes on as if it had been done. Nothing brings the step back.',
    action: 'Skip it',
    done: `Skipped: ${title}`,
    color: 'stop',
    isReasonRequired: true,
    perform: ({ reason }) => act(client, SkipStepDocument, { input: { id, reason } }),
  }
}
