import type { TokenRowFragment } from '../../generated/console/documents.ts'

/** Whether the server takes a token at an instant, in milliseconds. */
export const holds = ({ revokedAt, expiresAt }: TokenRowFragment, now: number): boolean =>
  revokedAt === null && (expiresAt === null || Date.parse(expiresAt) > now)
