import type { Role } from '../domain/access.ts'
import type { Actor } from '../domain/actor.ts'
import { anyone } from './access.ts'
import { builder } from './builder.ts'

export const RoleEnum = builder.enumType('Role', {
  description: 'What somebody may do.',
  values: {
    VIEWER: { description: 'Reads everything but tokens and the audit log.' },
    EMITTER: { description: 'For game servers: emits triggers, and reads nothing but `viewer` and published results.' },
    MODERATOR: { description: 'VIEWER, and works cues, skips steps, pauses, resumes and ends holds.' },
    ADMIN: { description: 'Everything.' },
    CALENDAR: {
      description: 'For calendars: reads /calendar.ics as the secret in its address. It is refused everywhere else.',
    },
  },
})

const ActorKind = builder.enumType('ActorKind', {
  description: 'What kind of actor.',
  values: {
    USER: { description: 'A person who signed in.' },
    TOKEN: { description: 'Whoever holds an API token, a person or a script.' },
    SYSTEM: { description: 'Cuelight itself: the runner and the schedule.' },
  },
})

export const ActorRef = builder.objectRef<Actor>('Actor').implement({
  description: 'Who did something: a person or script with a token, or Cuelight itself.',
  fields: (t) => ({
    kind: t.expose('kind', { type: ActorKind, description: 'Person, token or Cuelight.' }),
    name: t.exposeString('name', { description: 'The name to show: of the person or of the token.' }),
  }),
})

/** An actor from two columns that are both null where nobody is. */
export const actorFrom = (kind: Actor['kind'] | null, name: string | null): Actor | null =>
  kind === null || name === null ? null : { kind, name }

const Viewer = builder.objectRef<{ name: string; role: Role }>('Viewer').implement({
  description: 'Whoever sent the request.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the person or of the token.' }),
    role: t.expose('role', { type: RoleEnum, description: 'What they may do.' }),
  }),
})

builder.queryField('viewer', (t) =>
  t.field({
    type: Viewer,
    nullable: true,
    authScopes: anyone,
    description: 'Who is asking, by the token sent; null without one. Anyone may ask.',
    resolve: (_root, _args, { actor, role }) => (actor === null || role === null ? null : { name: actor.name, role }),
  }),
)
