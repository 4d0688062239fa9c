import type { AuditQuery } from '../../generated/console/documents.ts'

type Edge = AuditQuery['auditLog']['edges'][number]

/** Entries that are one piece of work: an event is saved as it is written, which is an entry each time. */
export function groupsOf(edges: readonly Edge[]): [Edge, ...Edge[]][] {
  const groups: [Edge, ...Edge[]][] = []
  for (const edge of edges) {
    const group = groups.at(-1)
    if (group !== undefined && isMoreOf(group[0], edge)) group.push(edge)
    else groups.push([edge])
  }
  return groups
}

/** What names a group while more is done: its oldest entry, as new ones come at its head. */
export const keyOfGroup = (group: readonly [Edge, ...Edge[]]): string => (group.at(-1) ?? group[0]).cursor

const isMoreOf = ({ node: one }: Edge, { node: other }: Edge): boolean =>
  other.action === 'definition.update' &&
  one.action === other.action &&
  one.subject === other.subject &&
  one.actor.kind === other.actor.kind &&
  one.actor.name === other.actor.name
