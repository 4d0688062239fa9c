import type { AuditFilter } from '../../generated/console/documents.ts'
import { beginOfDay, endOfDay } from '../time/day-field.ts'
import { addressText } from '../ui/address-text.ts'
import { type PagePlace, placeOf } from '../ui/page-place.ts'

/** What the address of the audit log asks for: days as YYYY-MM-DD of this device. */
export type AuditSearch = PagePlace & {
  who?: string
  action?: string
  subject?: string
  from?: string
  to?: string
}

/** Of whatever stands in an address, what can be asked for. */
export function auditSearch(search: Record<string, unknown>): AuditSearch {
  const texts = (['who', 'action', 'subject', 'from', 'to'] as const).flatMap((name) => {
    const value = addressText(search[name])
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...Object.fromEntries(texts), ...placeOf(search) }
}

/** The same as the API takes it. */
export function auditFilter({ who, action, subject, from, to }: AuditSearch): AuditFilter {
  const [since, until] = [beginOfDay(from), endOfDay(to)]
  return {
    ...(who === undefined ? {} : { actor: who }),
    ...(action === undefined ? {} : { action: [action] }),
    ...(subject === undefined ? {} : { subject }),
    ...(since === null ? {} : { from: since }),
    ...(until === null ? {} : { to: until }),
  }
}
