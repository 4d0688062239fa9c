/** What a token is for. CALENDAR is of the secrets in calendars' addresses: nobody is let in with one anywhere else. */
export type Role = 'VIEWER' | 'EMITTER' | 'MODERATOR' | 'ADMIN' | 'CALENDAR'

/** Every role and the roles that it includes: EMITTER is for game servers and includes no reading. */
const INCLUDES: Record<Role, readonly Role[]> = {
  VIEWER: ['VIEWER'],
  EMITTER: ['EMITTER'],
  MODERATOR: ['MODERATOR', 'VIEWER'],
  ADMIN: ['ADMIN', 'MODERATOR', 'VIEWER', 'EMITTER'],
  CALENDAR: ['CALENDAR'],
}

/** Whether somebody with this role may do what needs that role. Nobody's role is null. */
export function includesRole(role: Role | null, needed: Role): boolean {
  return role !== null && INCLUDES[role].includes(needed)
}
