import { censoredJson } from '../domain/censor.ts'
import { formatId } from '../domain/ids.ts'
import type { LogRow } from '../store/log-reads.ts'
import { builder } from './builder.ts'
import { objectOf } from './stored-json.ts'
import { ActorRef } from './viewer.ts'

export const RunLogEntry = builder.objectRef<LogRow>('RunLogEntry').implement({
  description: 'One line of a run log.',
  fields: (t) => ({
    line: t.exposeInt('line', { description: 'Counted from 1 in its run, without gaps.' }),
    at: t.expose('at', { type: 'DateTime', description: 'When it happened.' }),
    kind: t.exposeString('kind', { description: 'What happened: `run.status`, `phase.entered`, `step.control` …' }),
    phase: t.exposeString('phase', { nullable: true, description: 'Key of the phase it is about.' }),
    stepId: t.id({
      nullable: true,
      description: 'Id of the step it is about.',
      resolve: ({ stepId }) => (stepId === null ? null : formatId('Step', stepId)),
    }),
    actor: t.field({
      type: ActorRef,
      description: 'Who did it; SYSTEM for the runner.',
      resolve: ({ actorKind, actorName }) => ({ kind: actorKind, name: actorName }),
    }),
    detail: t.field({
      type: 'JSONObject',
      description: "The facts, by kind; enum values and ids as the API's.",
      resolve: ({ kind, detail }, _args, { control }) =>
        namesResources(kind) ? censoredJson(objectOf(detail), control.censor) : objectOf(detail),
    }),
    text: t.string({
      description: 'The line in a sentence for people.',
      resolve: ({ kind, text }, _args, { control }) => (namesResources(kind) ? control.censor(text) : text),
    }),
  }),
})

/** A resource is kept as its module named it, since it is taken back by that name, and censored where it is shown. */
const namesResources = (kind: string): boolean =>
  kind.startsWith('resource.') || ['step.retry', 'step.reclaimed', 'step.late'].includes(kind)

export const RunLogFilter = builder.inputType('RunLogFilter', {
  description: 'Which lines. What is omitted does not restrict.',
  fields: (t) => ({
    kind: t.stringList({ description: 'Of one of these kinds: `step.status`.' }),
    phase: t.string({ description: 'About the phase with this key.' }),
    stepId: t.id({ description: 'About this step.' }),
    search: t.string({ description: 'With this text in the sentence; upper or lower case alike.' }),
  }),
})
