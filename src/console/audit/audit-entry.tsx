import { Button } from '@mantine/core'
import type { AuditQuery } from '../../generated/console/documents.ts'
import { Instant } from '../time/instant.tsx'
import classes from './audit.module.css'
import type { groupsOf } from './audit-groups.ts'
import { detailText, didOf } from './audit-words.ts'

type AuditEntryProps = {
  entry: AuditQuery['auditLog']['edges'][number]['node']
  /** What it was done to is called so; null: not known any more. */
  name: string | null
  onSubject(subject: string): void
}

type AuditGroupProps = Pick<AuditEntryProps, 'name' | 'onSubject'> & {
  edges: ReturnType<typeof groupsOf>[number]
}

/** What somebody did again and again, newest first: as one, and each on a click. */
export function AuditGroup({ edges, name, onSubject }: AuditGroupProps) {
  const [{ node: newest }] = edges
  if (edges.length === 1) return <AuditEntry entry={newest} name={name} onSubject={onSubject} />
  const { actor, action, subject, detail } = newest
  return (
    <li>
      <details className={classes.entry}>
        <summary className={classes.summary}>
          <span className={classes.sentence}>
            <strong>{actor.name}</strong> {didOf(action, detail)} <strong>{name ?? subject ?? ''}</strong>{' '}
            {edges.length} times
          </span>
          <span>
            <Instant at={edges.at(-1)?.node.at ?? newest.at} zone={null} /> – <Instant at={newest.at} zone={null} />
          </span>
        </summary>
        <ol className={classes.within}>
          {edges.map(({ cursor, node }) => (
            <AuditEntry key={cursor} entry={node} name={name} onSubject={onSubject} />
          ))}
        </ol>
      </details>
    </li>
  )
}

/** One entry in a sentence; all that is kept of it is one click away. */
function AuditEntry({ entry, name, onSubject }: AuditEntryProps) {
  const { at, actor, action, subject, detail } = entry
  const details = Object.entries(detail)
  const reason = typeof detail.reason === 'string' ? detail.reason : null
  return (
    <li>
      <details className={classes.entry}>
        <summary className={classes.summary}>
          <span className={classes.sentence}>
            <strong>{actor.name}</strong> {didOf(action, detail)} <strong>{name ?? subject ?? ''}</strong>
            {reason !== null && <bdi className={classes.reason}>{reason}</bdi>}
          </span>
          <Instant at={at} zone={null} />
        </summary>
        <dl className={classes.facts}>
          <dt>Action</dt>
          <dd>
            <code>{action}</code>
          </dd>
          {subject !== null && (
            <>
              <dt>Done to</dt>
              <dd>
                <code>{subject}</code>
                <Button size="compact-sm" variant="default" onClick={() => onSubject(subject)}>
                  All that was done to it
                </Button>
              </dd>
            </>
          )}
          <dt>By</dt>
          <dd>
            {actor.kind === 'TOKEN' && 'a token called '}
            <bdi>{actor.name}</bdi>
          </dd>
          {details.map(([key, value]) => (
            <div key={key} className={classes.fact}>
              <dt>{key}</dt>
              <dd>{detailText(value)}</dd>
            </div>
          ))}
        </dl>
      </details>
    </li>
  )
}
