import type { Role } from '../../generated/console/documents.ts'

/** What somebody with a role may do, from least to most. */
export const ROLES: readonly { role: Role; may: string }[] = [
  { role: 'VIEWER', may: 'Reads everything but tokens and the audit log.' },
  {
    role: 'MODERATOR',
    may: 'For game masters: reads all that a VIEWER does, works cues, skips steps, pauses and resumes.',
  },
  { role: 'ADMIN', may: 'May do everything.' },
  { role: 'EMITTER', may: 'For game servers: emits triggers, and reads nothing.' },
  { role: 'CALENDAR', may: 'For calendars: reads the calendar feed, as the secret in its address, and nothing else.' },
]
