import type { VerificationReport as Report } from '../domain/verification.ts'
import { builder } from './builder.ts'
import { InputIssue } from './errors.ts'

const Finding = builder.enumType('Finding', {
  description: 'How a step was found.',
  values: {
    OK: { description: 'Nothing speaks against it.' },
    WARNING: { description: 'It may work; somebody should look.' },
    ERROR: { description: 'It would not work as things are.' },
  },
})

const StepFinding = builder.objectRef<Report['steps'][number]>('StepFinding').implement({
  description: 'What a verification found about one step.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'Where the step is: `phases[1].steps[0]`, counted from 0.' }),
    phase: t.exposeString('phase', { description: 'Key of its phase.' }),
    seq: t.exposeInt('seq', { description: 'Its place in the phase, counted from 0.' }),
    actionId: t.exposeString('actionId', { description: 'The action that it calls.' }),
    label: t.exposeString('label', {
      nullable: true,
      description: 'Its own label; null where it has none, or where the report is of an older server.',
    }),
    finding: t.expose('finding', { type: Finding, description: 'The worst that was found.' }),
    message: t.exposeString('message', { description: 'What was found, in sentences that say what to do.' }),
  }),
})

export const VerificationReport = builder.objectRef<Report>('VerificationReport').implement({
  description:
    'What a verification found: every step is checked, and asked whether it would work where that is possible.',
  fields: (t) => ({
    passed: t.exposeBoolean('passed', { description: 'Whether there is no error. Warnings do not count.' }),
    steps: t.field({
      type: [StepFinding],
      description: 'Every step, in order.',
      resolve: ({ steps }) => steps,
    }),
    issues: t.field({
      type: [InputIssue],
      description:
        'What belongs to no step. One that begins with "Only a warning" does not keep the report from passing; every other does.',
      resolve: ({ issues }) => issues,
    }),
  }),
})
