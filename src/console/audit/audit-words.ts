/** What entries tell of, as `auditLog` calls it, and in words that follow a name: "Mira published an event". */
export const AUDIT_ACTIONS: readonly { action: string; label: string; did: string }[] = [
  { action: 'definition.create', label: 'Event created', did: 'created the event' },
  { action: 'definition.update', label: 'Event changed', did: 'changed the event' },
  { action: 'definition.publish', label: 'Event published', did: 'published the event' },
  { action: 'definition.verify', label: 'Event verified', did: 'verified the event' },
  { action: 'definition.archive', label: 'Event archived', did: 'archived the event' },
  { action: 'definition.pause-schedule', label: 'Schedule paused', did: 'paused the schedule of' },
  { action: 'definition.resume-schedule', label: 'Schedule resumed', did: 'resumed the schedule of' },
  { action: 'action.setting', label: 'Action set', did: 'changed the setting of' },
  { action: 'token.create', label: 'Token created', did: 'created the token of' },
  { action: 'token.revoke', label: 'Token revoked', did: 'revoked the token of' },
]

/** What somebody did; by its own name where it is not known here. */
export function didOf(action: string, detail: Readonly<Record<string, unknown>>): string {
  if (action === 'action.setting' && detail.caps === undefined && typeof detail.enabled === 'boolean')
    return detail.enabled ? 'switched on' : 'switched off'
  return AUDIT_ACTIONS.find((known) => known.action === action)?.did ?? `did ${action} to`
}

/** A detail in words where it is plain, as JSON otherwise. */
export const detailText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
